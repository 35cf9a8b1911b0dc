package dev.plinth.conventions;

import java.util.List;

/** Applies a rule to sources that a test gives as text. */
final class RuleChecks {
  private RuleChecks() {}

  /** A file of main code, in the module and package, with what the package is not said again. */
  static SourceFile java(String module, String packageName, String type, String body) {
    return new SourceFile(
        module + "/src/main/java/" + packageName.replace('.', '/') + "/" + type + ".java",
        "package " + packageName + ";\n" + body);
  }

  static List<String> violations(Rule rule, SourceFile... files) {
    return rule.check(Repository.of(files)).stream().map(Violation::toString).toList();
  }
}
