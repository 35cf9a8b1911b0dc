package dev.plinth.shards;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.store.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows are stored for years: what is written today is read as it was, and looks as it did. */
class RowReaderTest {
  private static RowReader read(RowWriter row) {
    return RowReader.row(new Row("x/a/b", row.bytes()), "x/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", "--", "ann", "a b", "a\nb", "%2D", "+", "ä/€", "x_1.y-z", "v1"})
  void text_comesBackAsItWas(String text) {
    RowReader row = read(RowWriter.row().text(text).number(7));
    assertEquals(text, row.text());
    assertEquals(7, row.number());
    assertFalse(row.hasNext());
  }

  @Test
  void row_isTextThatAnOperatorReads() {
    byte[] row =
        RowWriter.row()
            .number(3)
            .word("SHARED")
            .text("ann lee")
            .text("")
            .text("-")
            .millis(Duration.ofSeconds(10))
            .flag(true, "confirmed")
            .flag(false, "confirmed")
            .bytes(new byte[] {1, 2})
            .bytes(new byte[0])
            .nextLine("ask")
            .number(5)
            .bytes();
    assertEquals(
        "v1 3 SHARED ann+lee - %2D 10000 confirmed - AQI= -\nask 5", new String(row, UTF_8));
  }

  @Test
  void everyKindOfWord_isRead() {
    RowReader row =
        read(
            RowWriter.row()
                .number(-1)
                .millis(Duration.ofMillis(5))
                .number(1_000)
                .bytes(new byte[] {9})
                .flag(false, "on")
                .nextLine("rule")
                .text("k")
                .nextLine("rule")
                .text("l"));
    assertEquals("a/b", row.key());
    assertEquals(-1, row.integer());
    assertEquals(Duration.ofMillis(5), row.millis());
    assertEquals(Instant.ofEpochSecond(1), row.instant());
    assertArrayEquals(new byte[] {9}, row.bytes());
    assertFalse(row.flag("on"));
    assertEquals(4, row.integer(4), "rows of former versions are shorter");
    assertTrue(row.nextLine());
    assertEquals("k", row.text());
    assertTrue(row.nextLine());
    assertEquals("l", row.text());
    assertFalse(row.nextLine());
  }

  @Test
  void line_hasNoVersion() {
    byte[] line = RowWriter.line(12).text("a b").bytes();
    assertEquals("12 a+b", new String(line, UTF_8));
    RowReader row = RowReader.line("12 a+b");
    assertEquals(12, row.number());
    assertEquals("a b", row.text());
  }

  @Test
  void rowOfAnotherFormat_isRefusedByItsKey() {
    Row row = new Row("x/a", "v9 1".getBytes(UTF_8));
    IllegalStateException refused =
        assertThrows(IllegalStateException.class, () -> RowReader.row(row, "x/"));
    assertEquals("x/a has format v9 (expected: v1)", refused.getMessage());
  }

  @Test
  void each_readsTheRowsOfOneKind() {
    List<String> keys = new ArrayList<>();
    byte[] empty = RowWriter.row().bytes();
    List<Row> rows = List.of(new Row("x/a", empty), new Row("y/b", empty), new Row("x/c", empty));
    RowReader.each(rows, "x/", row -> keys.add(row.key()));
    assertEquals(List.of("a", "c"), keys);
  }
}
