package dev.plinth.ratelimit.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WildcardTest {
  /** Counts how often a character is looked at. */
  private static final class CountedText implements CharSequence {
    private final String text;
    private long reads;

    CountedText(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      reads++;
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }
  }

  private static String random(Random random, String letters, int most) {
    return random
        .ints(random.nextInt(most + 1), 0, letters.length())
        .mapToObj(i -> letters.substring(i, i + 1))
        .collect(Collectors.joining());
  }

  @Test
  void matches_asTheSameRegularExpression() {
    Random random = new Random(1);
    int matched = 0;
    for (int i = 0; i < 100_000; i++) {
      String pattern = random(random, "ab*", 7);
      String value = random(random, "ab", 9);
      boolean expected = Pattern.matches(pattern.replace("*", ".*"), value);
      assertEquals(expected, Wildcard.matches(pattern, value), () -> pattern + " of " + value);
      matched += expected ? 1 : 0;
    }
    assertTrue(matched > 10_000, matched + " matched");
  }

  @Test
  void longValue_isReadOnce_whateverThePattern() {
    String letters = "a".repeat(60);
    for (String pattern :
        new String[] {"*" + letters + "b*", "*" + letters + "b*" + letters + "c*", "*b*b*b"}) {
      CountedText value = new CountedText("a".repeat(100_000));
      assertFalse(Wildcard.matches(pattern, value));
      assertTrue(value.reads <= value.length() + pattern.length(), pattern + ": " + value.reads);
    }
  }
}
