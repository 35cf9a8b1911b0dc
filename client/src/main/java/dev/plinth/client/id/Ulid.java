package dev.plinth.client.id;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/**
 * 48 bits of time in milliseconds and 80 of chance. Compared without sign, so order, text and bytes
 * sort alike.
 */
public record Ulid(long high, long low) implements Comparable<Ulid> {
  private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  private static final int LENGTH = 26;

  public Instant time() {
    return Instant.ofEpochMilli(high >>> 16);
  }

  /** The same 128 bits; not one of the versions of RFC 9562. */
  public UUID toUuid() {
    return new UUID(high, low);
  }

  /**
   * @param text 26 digits of Crockford's base 32, in either case
   * @throws IllegalArgumentException if it is none, or more than 128 bits
   */
  public static Ulid parse(String text) {
    String digits = text.toUpperCase(Locale.ROOT);
    if (digits.length() != LENGTH || digits.charAt(0) > '7') {
      throw refused(text);
    }
    long high = 0;
    long low = 0;
    for (int i = 0; i < LENGTH; i++) {
      int digit = ALPHABET.indexOf(digits.charAt(i));
      if (digit < 0) {
        throw refused(text);
      }
      high = high << 5 | low >>> 59;
      low = low << 5 | digit;
    }
    return new Ulid(high, low);
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException(
        "ulid: \"" + text + "\" (expected: 26 of " + ALPHABET + ", the first up to 7)");
  }

  @Override
  public int compareTo(Ulid other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    char[] text = new char[LENGTH];
    long restHigh = high;
    long restLow = low;
    for (int i = LENGTH - 1; i >= 0; i--) {
      text[i] = ALPHABET.charAt((int) (restLow & 31));
      restLow = restLow >>> 5 | restHigh << 59;
      restHigh >>>= 5;
    }
    return new String(text);
  }
}
