package dev.plinth.ratelimit.pipeline;

/** Values in which a {@code *} stands for any characters, or none. */
final class Wildcard {
  private static final char ANY = '*';

  private Wildcard() {}

  static boolean isPattern(String pattern) {
    return pattern.indexOf(ANY) >= 0;
  }

  /**
   * Tries the shortest fit of each {@code *}; where what follows does not fit, only the last one
   * has to be extended, since the earlier ones match as early as possible.
   */
  static boolean matches(String pattern, String value) {
    int p = 0;
    int v = 0;
    int star = -1;
    int taken = 0;
    while (v < value.length()) {
      if (p < pattern.length() && pattern.charAt(p) == ANY) {
        star = p++;
        taken = v;
      } else if (p < pattern.length() && pattern.charAt(p) == value.charAt(v)) {
        p++;
        v++;
      } else if (star >= 0) {
        p = star + 1;
        v = ++taken;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == ANY) {
      p++;
    }
    return p == pattern.length();
  }
}
