package dev.plinth.ratelimit.pipeline;

/** Values in which a {@code *} stands for any characters, or none. */
final class Wildcard {
  private static final char ANY = '*';

  private Wildcard() {}

  static boolean isPattern(String pattern) {
    return pattern.indexOf(ANY) >= 0;
  }

  /**
   * Takes time in proportion to both lengths: Envoy's values may be as long as a message. What is
   * between two {@code *} is found where it first occurs, which leaves the most for the rest.
   */
  static boolean matches(String pattern, CharSequence value) {
    int first = pattern.indexOf(ANY);
    if (first < 0) {
      return pattern.contentEquals(value);
    }
    int last = pattern.lastIndexOf(ANY);
    int end = value.length() - (pattern.length() - last - 1);
    if (first > end
        || !isAt(0, pattern.substring(0, first), value)
        || !isAt(end, pattern.substring(last + 1), value)) {
      return false;
    }
    int at = first;
    for (int star = first; star < last && at >= 0; ) {
      int next = pattern.indexOf(ANY, star + 1);
      at = endOf(pattern.substring(star + 1, next), value, at, end);
      star = next;
    }
    return at >= 0;
  }

  private static boolean isAt(int start, String text, CharSequence value) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) != value.charAt(start + i)) {
        return false;
      }
    }
    return true;
  }

  /** The end of the first occurrence between two places; -1 if there is none. */
  private static int endOf(String text, CharSequence value, int from, int to) {
    if (text.isEmpty()) {
      return from;
    }
    int[] borders = borders(text);
    int fits = 0;
    for (int i = from; i < to; i++) {
      fits = extended(text, borders, fits, value.charAt(i));
      if (fits == text.length()) {
        return i + 1;
      }
    }
    return -1;
  }

  /** Knuth, Morris, Pratt: of each prefix, the length of its longest proper prefix that ends it. */
  private static int[] borders(String text) {
    int[] borders = new int[text.length()];
    for (int i = 1; i < borders.length; i++) {
      borders[i] = extended(text, borders, borders[i - 1], text.charAt(i));
    }
    return borders;
  }

  /** How much of the text fits at the end of what was read, with one more character. */
  private static int extended(String text, int[] borders, int fits, char next) {
    int length = fits;
    while (length > 0 && text.charAt(length) != next) {
      length = borders[length - 1];
    }
    return text.charAt(length) == next ? length + 1 : 0;
  }
}
