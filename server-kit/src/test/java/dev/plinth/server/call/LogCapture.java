package dev.plinth.server.call;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What one logger was told while this was open. */
final class LogCapture extends Handler implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private final Level levelBefore;

  private LogCapture(Logger logger) {
    this.logger = logger;
    this.levelBefore = logger.getLevel();
  }

  static LogCapture of(String name) {
    return of(name, Level.ALL);
  }

  static LogCapture of(String name, Level level) {
    Logger logger = Logger.getLogger(name);
    LogCapture capture = new LogCapture(logger);
    logger.setLevel(level);
    logger.setUseParentHandlers(false);
    logger.addHandler(capture);
    return capture;
  }

  String text() {
    return String.join("\n", lines);
  }

  @Override
  public void publish(LogRecord line) {
    StringWriter text = new StringWriter();
    text.append(line.getMessage()).append('\n');
    if (line.getThrown() != null) {
      line.getThrown().printStackTrace(new PrintWriter(text, true));
    }
    lines.add(text.toString());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
    logger.setLevel(levelBefore);
  }
}
