package dev.plinth.server.log;

import dev.plinth.server.call.CallContext;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/** One JSON object a line; a stack is a field of it. */
final class JsonLogFormatter extends Formatter {
  @Override
  public String format(LogRecord line) {
    StringBuilder json = new StringBuilder(240).append('{');
    field(json, "time", line.getInstant().toString());
    field(json, "level", LoggingSetup.word(line.getLevel()));
    field(json, "logger", String.valueOf(line.getLoggerName()));
    field(json, "message", formatMessage(line));
    CallContext.current()
        .ifPresent(
            call -> {
              field(json, "call", call.id());
              field(json, "method", call.method());
              field(json, "peer", call.peer());
            });
    if (line.getThrown() != null) {
      field(json, "stack", TextLogFormatter.stack(line.getThrown()));
    }
    json.setCharAt(json.length() - 1, '}');
    return json.append('\n').toString();
  }

  private static void field(StringBuilder json, String name, String value) {
    json.append('"').append(name).append("\":\"");
    for (int i = 0; i < value.length(); i++) {
      escape(json, value.charAt(i));
    }
    json.append("\",");
  }

  private static void escape(StringBuilder json, char c) {
    switch (c) {
      case '"' -> json.append("\\\"");
      case '\\' -> json.append("\\\\");
      case '\n' -> json.append("\\n");
      case '\r' -> json.append("\\r");
      case '\t' -> json.append("\\t");
      default -> {
        if (c < 0x20) {
          json.append(String.format("\\u%04x", (int) c));
        } else {
          json.append(c);
        }
      }
    }
  }
}
