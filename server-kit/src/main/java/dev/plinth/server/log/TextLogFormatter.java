package dev.plinth.server.log;

import dev.plinth.server.call.CallContext;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/** {@code 14:03:07.123 INFO host message [call=4f.. method=..]}, then the stack if there is one. */
final class TextLogFormatter extends Formatter {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

  @Override
  public String format(LogRecord line) {
    StringBuilder text = new StringBuilder(160);
    TIME.formatTo(line.getInstant(), text);
    text.append(' ').append(String.format("%-5s", LoggingSetup.word(line.getLevel())));
    text.append(' ').append(shortName(line.getLoggerName())).append(": ");
    text.append(oneLine(formatMessage(line)));
    CallContext.current()
        .ifPresent(
            call ->
                text.append(" [call=")
                    .append(call.id())
                    .append(" method=")
                    .append(call.method())
                    .append(']'));
    text.append('\n');
    if (line.getThrown() != null) {
      text.append(stack(line.getThrown()));
    }
    return text.toString();
  }

  static String stack(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }

  /** Text from outside must not start a line of its own. */
  private static String oneLine(String message) {
    return message.replace("\n", "\\n").replace("\r", "\\r");
  }

  private static String shortName(String logger) {
    return logger == null ? "?" : logger.substring(logger.lastIndexOf('.') + 1);
  }
}
