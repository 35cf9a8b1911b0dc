package dev.plinth.conventions;

/**
 * Something that breaks a rule.
 *
 * @param where the file, or a type or a method in it
 * @param what for the reader who has to mend it
 */
record Violation(String where, String what) {
  @Override
  public String toString() {
    return where + ": " + what;
  }
}
