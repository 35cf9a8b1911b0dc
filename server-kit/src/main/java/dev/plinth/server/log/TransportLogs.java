package dev.plinth.server.log;

import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Bounds what gRPC's own loggers write. gRPC logs a stack for each connection that breaks or speaks
 * another protocol, which any caller can cause: such lines lose their stack, and one a second
 * passes. Errors of gRPC keep theirs, one a second too.
 */
final class TransportLogs implements Filter {
  private static final String GRPC = "io.grpc.";

  private final LogThrottle broken;
  private final LogThrottle errors;

  TransportLogs(LongSupplier nanos) {
    broken = new LogThrottle(nanos);
    errors = new LogThrottle(nanos);
  }

  @Override
  public boolean isLoggable(LogRecord line) {
    String logger = line.getLoggerName();
    if (logger == null || !logger.startsWith(GRPC)) {
      return true;
    }
    boolean error = line.getLevel().intValue() >= Level.SEVERE.intValue();
    if (!error && line.getThrown() == null) {
      return true;
    }
    OptionalLong count = (error ? errors : broken).next();
    if (count.isPresent()) {
      shorten(line, error, count.getAsLong());
    }
    return count.isPresent();
  }

  private static void shorten(LogRecord line, boolean keepStack, long count) {
    StringBuilder text = new StringBuilder(String.valueOf(line.getMessage()));
    if (!keepStack) {
      text.append(": ").append(line.getThrown());
      line.setThrown(null);
    }
    if (count > 1) {
      text.append(" (").append(count).append(" such events since the last line)");
    }
    line.setMessage(text.toString());
    line.setParameters(null); // the text is not a pattern any more
  }
}
