package dev.plinth.config.content;

/**
 * One thing that is different.
 *
 * @param path a JSON pointer, or the number of a line
 * @param before empty if there was nothing
 * @param after empty if there is nothing
 */
public record ContentDifference(Type type, String path, String before, String after) {
  private static final int MAX_TEXT = 1024;

  /** What happened to it. */
  public enum Type {
    ADDED,
    REMOVED,
    CHANGED
  }

  public ContentDifference {
    before = cut(before);
    after = cut(after);
  }

  private static String cut(String text) {
    return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
  }

  int bytes() {
    return path.length() + before.length() + after.length();
  }
}
