package dev.plinth.config.content;

import com.networknt.schema.regex.RegularExpression;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A pattern of a schema that gives up after a number of steps, since some never end. */
final class BoundedPattern implements RegularExpression {
  private static final int MAX_STEPS = 1_000_000;

  private final Pattern pattern;

  BoundedPattern(String regex) {
    try {
      pattern = Pattern.compile(regex);
    } catch (PatternSyntaxException e) {
      throw new InvalidContentException("pattern " + regex + ": " + e.getDescription());
    }
  }

  @Override
  public boolean matches(String value) {
    return pattern.matcher(new CountedText(value, new int[] {MAX_STEPS})).find();
  }

  /**
   * Counts the characters that are looked at.
   *
   * @param left shared with all parts of the text
   */
  private record CountedText(CharSequence text, int[] left) implements CharSequence {
    @Override
    public char charAt(int index) {
      if (left[0]-- == 0) {
        throw new InvalidContentException(
            "a pattern of the schema takes more than " + MAX_STEPS + " steps");
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new CountedText(text.subSequence(start, end), left);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
