package dev.plinth.conventions;

import java.util.ArrayList;
import java.util.List;

/** A line of a document has at most 110 characters, outside tables and code. */
final class MarkdownLineRule implements Rule {
  private static final int MAX_LENGTH = 110;

  @Override
  public List<Violation> check(Repository repository) {
    List<Violation> violations = new ArrayList<>();
    for (SourceFile file : repository.files()) {
      if (file.path().endsWith(".md")) {
        check(file, violations);
      }
    }
    return violations;
  }

  private void check(SourceFile file, List<Violation> violations) {
    boolean inCode = false;
    int number = 0;
    for (String line : file.text().lines().toList()) {
      number++;
      String start = line.stripLeading();
      if (start.startsWith("```")) {
        inCode = !inCode;
      } else if (!inCode && !start.startsWith("|")) {
        int length = line.codePointCount(0, line.length());
        if (length > MAX_LENGTH) {
          String what = "line " + number + " has " + length + " characters";
          violations.add(new Violation(file.path(), what));
        }
      }
    }
  }
}
