package dev.plinth.conventions;

/**
 * Something that breaks a rule.
 *
 * @param where the file, or the member of a file, without a line number
 * @param what for the reader who has to mend it
 */
record Violation(Rule rule, String where, String what) {
  /** The same for as long as it is not mended, whatever else changes in the file. */
  String key() {
    return rule.name() + ": " + where;
  }

  @Override
  public String toString() {
    return where + ": " + what;
  }
}
