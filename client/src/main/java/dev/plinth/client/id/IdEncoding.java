package dev.plinth.client.id;

import java.util.Locale;

/**
 * How ids are written, as the server's Parse reads them. All but decimal have a fixed width and
 * digits in the order of their characters, so that texts sort as ids do.
 */
public enum IdEncoding {
  DECIMAL("0123456789", 1, false),
  /** Crockford's base 32 in 13 characters, as TSIDs have it; read in either case. */
  CROCKFORD("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 13, true),
  /** In 11 characters. */
  BASE62("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 11, false),
  /** In 16 characters; read in either case, with or without 0x. */
  HEX("0123456789ABCDEF", 16, true);

  private static final int MAX = 20;

  private final String alphabet;
  private final int width;
  private final boolean eitherCase;

  IdEncoding(String alphabet, int width, boolean eitherCase) {
    this.alphabet = alphabet;
    this.width = width;
    this.eitherCase = eitherCase;
  }

  public String format(long id) {
    if (id < 0) {
      throw new IllegalArgumentException("id: " + id + " (expected: 0..2^63 - 1)");
    }
    char[] text = new char[MAX];
    int at = MAX;
    for (long rest = id; rest > 0 || at > MAX - width; rest /= alphabet.length()) {
      text[--at] = alphabet.charAt((int) (rest % alphabet.length()));
    }
    return new String(text, at, MAX - at);
  }

  /**
   * @throws IllegalArgumentException if it is no id in this form
   */
  public long parse(String text) {
    String digits = eitherCase ? text.toUpperCase(Locale.ROOT) : text;
    if (this == HEX && digits.startsWith("0X")) {
      digits = digits.substring(2);
    }
    if (digits.isEmpty() || digits.length() > MAX) {
      throw refused(text);
    }
    long value = 0;
    long base = alphabet.length();
    for (int i = 0; i < digits.length(); i++) {
      int digit = alphabet.indexOf(digits.charAt(i));
      if (digit < 0 || value > (Long.MAX_VALUE - digit) / base) {
        throw refused(text);
      }
      value = value * base + digit;
    }
    return value;
  }

  private IllegalArgumentException refused(String text) {
    return new IllegalArgumentException(
        "id: \"" + text + "\" (expected: 0..2^63 - 1 in " + alphabet + ")");
  }
}
