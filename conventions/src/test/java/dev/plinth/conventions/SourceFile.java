package dev.plinth.conventions;

/**
 * A text file of the repository.
 *
 * @param path from the root of the repository, with {@code /} between its parts
 */
record SourceFile(String path, String text) {
  /** The module that it belongs to: its first folder. */
  String module() {
    return path.substring(0, Math.max(0, path.indexOf('/')));
  }

  boolean isMainJava() {
    return path.matches("[^/]+/src/main/java/.+\\.java");
  }
}
