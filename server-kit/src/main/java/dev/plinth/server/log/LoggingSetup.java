package dev.plinth.server.log;

import java.util.function.LongSupplier;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Puts our format and level on the JDK's own logging, which System.Logger and gRPC write to. */
public final class LoggingSetup {
  // Kept here: java.util.logging holds loggers weakly and would forget their levels.
  private static final Logger ROOT = Logger.getLogger("");
  private static final Logger OURS = Logger.getLogger("plinth");
  private static final Logger NETTY_STREAM =
      Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerStream");

  private LoggingSetup() {}

  /**
   * Lines go to standard error.
   *
   * @param nanos a monotonic clock, for lines that are allowed only so often
   */
  public static void install(LogSettings settings, LongSupplier nanos) {
    Formatter formatter =
        settings.format() == LogSettings.Format.JSON
            ? new JsonLogFormatter()
            : new TextLogFormatter();
    for (Handler handler : ROOT.getHandlers()) {
      ROOT.removeHandler(handler);
    }
    Handler console = new ConsoleHandler();
    console.setFormatter(formatter);
    console.setLevel(Level.ALL);
    console.setFilter(new TransportLogs(nanos));
    ROOT.addHandler(console);
    Level level = level(settings.level());
    OURS.setLevel(level);
    // It logs a stack for each message over the limit: any caller could flood the log.
    NETTY_STREAM.setLevel(Level.SEVERE);
    // Libraries at debug level drown everything else.
    ROOT.setLevel(level.intValue() < Level.INFO.intValue() ? Level.INFO : level);
  }

  private static Level level(LogSettings.Level level) {
    return switch (level) {
      case DEBUG -> Level.FINE;
      case INFO -> Level.INFO;
      case WARNING -> Level.WARNING;
      case ERROR -> Level.SEVERE;
    };
  }

  static String word(Level level) {
    if (level.intValue() >= Level.SEVERE.intValue()) {
      return "ERROR";
    }
    if (level.intValue() >= Level.WARNING.intValue()) {
      return "WARN";
    }
    return level.intValue() >= Level.INFO.intValue() ? "INFO" : "DEBUG";
  }
}
