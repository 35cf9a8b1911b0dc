package dev.plinth.conventions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * No ten lines in a row stand twice in main code. Blank lines, indentation and imports do not
 * count.
 */
final class RepeatedLinesRule implements Rule {
  private static final int RUN = 10;

  @Override
  public List<Violation> check(Repository repository) {
    Map<List<String>, SourceFile> seen = new HashMap<>();
    List<Violation> violations = new ArrayList<>();
    for (JavaFile java : repository.mainJava()) {
      SourceFile file = java.source();
      List<String> lines = lines(file);
      for (int i = 0; i + RUN <= lines.size(); i++) {
        SourceFile first = seen.putIfAbsent(lines.subList(i, i + RUN), file);
        if (first != null) {
          String what = "has ten lines of " + first.path() + ", from: " + lines.get(i);
          violations.add(new Violation(file.path(), what));
          i += RUN - 1;
        }
      }
    }
    return violations;
  }

  private static List<String> lines(SourceFile file) {
    return file.text()
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("import "))
        .toList();
  }
}
