package dev.plinth.conventions;

import java.util.List;

/** A Java file of main code has at most 400 lines. */
final class FileLengthRule implements Rule {
  private static final long MAX_LINES = 400;

  @Override
  public List<Violation> check(Repository repository) {
    return repository.mainJava().stream()
        .map(JavaFile::source)
        .filter(file -> lines(file) > MAX_LINES)
        .map(file -> new Violation(file.path(), "has " + lines(file) + " lines"))
        .toList();
  }

  private static long lines(SourceFile file) {
    return file.text().lines().count();
  }
}
