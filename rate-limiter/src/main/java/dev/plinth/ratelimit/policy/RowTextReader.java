package dev.plinth.ratelimit.policy;

import java.util.List;

/** Reads a line of words and numbers with a space between them; refuses whatever is not so. */
public final class RowTextReader {
  private final String[] words;
  private int next;

  private RowTextReader(String[] words) {
    this.words = words;
  }

  public static RowTextReader of(String line) {
    return new RowTextReader(line.split(" ", -1));
  }

  /** That begins with the version of the format. */
  public static RowTextReader versioned(String line) {
    RowTextReader words = of(line);
    String version = words.word();
    if (!version.equals("v1")) {
      throw new IllegalArgumentException("format " + version + " (expected: v1)");
    }
    return words;
  }

  public static StringBuilder numbers(StringBuilder text, long... numbers) {
    for (long number : numbers) {
      if (text.length() > 0 && text.charAt(text.length() - 1) != '\n') {
        text.append(' ');
      }
      text.append(number);
    }
    return text;
  }

  public String word() {
    if (next == words.length) {
      throw new IllegalArgumentException(words.length + " words (expected: more)");
    }
    return words[next++];
  }

  public long number() {
    String word = word();
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(word + " (expected: a number)", e);
    }
  }

  /** The words that are left. */
  public List<String> rest() {
    List<String> rest = List.of(words).subList(next, words.length);
    next = words.length;
    return rest;
  }

  public int left() {
    return words.length - next;
  }

  public void end() {
    if (left() > 0) {
      throw new IllegalArgumentException(words[next] + " (expected: the end)");
    }
  }
}
