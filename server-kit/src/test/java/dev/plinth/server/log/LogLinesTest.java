package dev.plinth.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogLinesTest {
  @Test
  void text_isOneLine_evenWhenTheMessageIsNot() {
    String line = new TextLogFormatter().format(record("two\nlines", null));
    assertEquals(1, line.lines().count());
    assertTrue(line.matches("\\d\\d:\\d\\d:\\d\\d\\.\\d{3} WARN  host: two\\\\nlines\n"), line);
  }

  @Test
  void text_showsTheStackBelow() {
    String line = new TextLogFormatter().format(record("oh", new IllegalStateException("why")));
    assertTrue(line.contains("\njava.lang.IllegalStateException: why\n\tat "), line);
  }

  @Test
  void json_isOneObjectALine_whateverTheText() throws Exception {
    String text = "quote \" back \\ tab \t line \n bell \u0007 é";
    String line = new JsonLogFormatter().format(record(text, new IllegalStateException("why")));
    assertEquals(1, line.lines().count());
    Struct.Builder json = Struct.newBuilder();
    JsonFormat.parser().merge(line, json);
    assertEquals(text, json.getFieldsOrThrow("message").getStringValue());
    assertEquals("WARN", json.getFieldsOrThrow("level").getStringValue());
    assertEquals("plinth.host", json.getFieldsOrThrow("logger").getStringValue());
    assertTrue(json.getFieldsOrThrow("stack").getStringValue().contains("why"));
  }

  private static LogRecord record(String message, Throwable thrown) {
    LogRecord line = new LogRecord(Level.WARNING, message);
    line.setLoggerName("plinth.host");
    line.setThrown(thrown);
    return line;
  }
}
