package dev.plinth.shards;

import dev.plinth.shards.store.Row;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;

/** Reads the words of a row one after the other, as {@link RowWriter} wrote them. */
public final class RowReader {
  private final String key;
  private final String[] lines;
  private String[] words;
  private int line;
  private int word;

  private RowReader(String key, String text) {
    this.key = key;
    this.lines = text.split("\n");
    this.words = lines[0].split(" ");
  }

  /**
   * A whole row.
   *
   * @param prefix of all rows of its kind
   * @throws IllegalStateException if its format is none that we know
   */
  public static RowReader row(Row row, String prefix) {
    String text = new String(row.value(), StandardCharsets.UTF_8);
    RowReader reader = new RowReader(row.key().substring(prefix.length()), text);
    String version = reader.word();
    if (!version.equals(RowWriter.VERSION)) {
      throw new IllegalStateException(
          "%s has format %s (expected: %s)".formatted(row.key(), version, RowWriter.VERSION));
    }
    return reader;
  }

  /** A line without a version. */
  public static RowReader line(String text) {
    return new RowReader("", text);
  }

  /** Reads all rows of one kind. */
  public static void each(List<Row> rows, String prefix, Consumer<RowReader> load) {
    for (Row row : rows) {
      if (row.key().startsWith(prefix)) {
        load.accept(row(row, prefix));
      }
    }
  }

  /** What follows the prefix of its kind. */
  public String key() {
    return key;
  }

  /** False at the end of the line: rows of former versions may have fewer words. */
  public boolean hasNext() {
    return word < words.length;
  }

  public String word() {
    return words[word++];
  }

  public long number() {
    return Long.parseLong(word());
  }

  public int integer() {
    return Integer.parseInt(word());
  }

  public int integer(int ifNone) {
    return hasNext() ? integer() : ifNone;
  }

  public Duration millis() {
    return Duration.ofMillis(number());
  }

  public Instant instant() {
    return Instant.ofEpochMilli(number());
  }

  public String text() {
    String escaped = word();
    if (escaped.equals(RowWriter.NONE)) {
      return "";
    }
    return RowWriter.isPlain(escaped)
        ? escaped
        : URLDecoder.decode(escaped, StandardCharsets.UTF_8);
  }

  public byte[] bytes() {
    String encoded = word();
    return encoded.equals(RowWriter.NONE) ? new byte[0] : Base64.getDecoder().decode(encoded);
  }

  /** Whether the next word is this one. */
  public boolean flag(String expected) {
    return word().equals(expected);
  }

  /** Goes on with the next line, behind the word that says what it is; false if there is none. */
  public boolean nextLine() {
    if (++line >= lines.length) {
      return false;
    }
    words = lines[line].split(" ");
    word = 1;
    return true;
  }
}
