package dev.plinth.conventions;

import static dev.plinth.conventions.RuleChecks.violations;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class MarkdownLineRuleTest {
  private final Rule rule = new MarkdownLineRule();

  @Test
  void lineOver110Characters_isFound() {
    String text = "é".repeat(110) + "\n" + "a".repeat(111) + "\n";
    assertEquals(
        List.of("docs/a.md: line 2 has 111 characters"),
        violations(rule, new SourceFile("docs/a.md", text)));
  }

  @Test
  void tablesAndCode_mayBeWider() {
    String wide = "w".repeat(200);
    String text = "| " + wide + " |\n```sh\n" + wide + "\n```\n" + wide + "\n";
    assertEquals(
        List.of("docs/a.md: line 5 has 200 characters"),
        violations(rule, new SourceFile("docs/a.md", text)));
  }
}
