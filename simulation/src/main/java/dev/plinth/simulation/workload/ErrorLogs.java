package dev.plinth.simulation.workload;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Hears what clients log as an error: a task of theirs that failed, and that nobody would hear of
 * otherwise.
 */
final class ErrorLogs extends Handler {
  private static final Logger CLIENT = Logger.getLogger("plinth.client");

  private final Consumer<String> errors;

  private ErrorLogs(Consumer<String> errors) {
    this.errors = errors;
  }

  static ErrorLogs watch(Consumer<String> errors) {
    ErrorLogs logs = new ErrorLogs(errors);
    CLIENT.setLevel(Level.SEVERE);
    CLIENT.setUseParentHandlers(false);
    CLIENT.addHandler(logs);
    return logs;
  }

  @Override
  public void publish(LogRecord line) {
    if (line.getLevel() == Level.SEVERE && !isOfTheDead(line.getThrown())) {
      errors.accept(
          line.getMessage()
              + (line.getThrown() == null ? "" : ": " + RunReport.stack(line.getThrown())));
    }
  }

  /** What unwinds the threads of a process that was killed. */
  private static boolean isOfTheDead(Throwable thrown) {
    return thrown != null && thrown.getClass().getSimpleName().equals("ProcessKilledError");
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    CLIENT.removeHandler(this);
    CLIENT.setLevel(null);
    CLIENT.setUseParentHandlers(true);
  }
}
