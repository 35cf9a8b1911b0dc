package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.server.failure.Failure;
import dev.plinth.testkit.Allocations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplacementCheckTest {
  private static Rule rule(String name, List<String> replaces) {
    Rule plain = Rule.of(name, List.of(), new Limit.FixedWindow(1, Limit.HOUR));
    return new Rule(
        name,
        1,
        List.of(),
        plain.counting(),
        plain.enforcement(),
        Optional.empty(),
        replaces,
        Optional.empty());
  }

  /** Each replaces as many as given of those after it. */
  private static List<Rule> rules(int size, int each) {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      rules.add(
          rule(
              "r" + i,
              IntStream.range(i + 1, Math.min(size, i + 1 + each))
                  .mapToObj(j -> "r" + j)
                  .toList()));
    }
    return rules;
  }

  private static String refusedField(List<Rule> rules) {
    return assertThrows(Failure.Invalid.class, () -> ReplacementCheck.check(rules))
        .violations()
        .get(0)
        .field();
  }

  @Test
  void replacements_areFollowedOnceEach() {
    List<Rule> rules = rules(200, 50);
    long edges = rules.stream().mapToLong(rule -> rule.replaces().size()).sum();
    long bytes = Allocations.of(() -> ReplacementCheck.check(rules));
    assertTrue(bytes < 500 * edges, () -> bytes + " bytes for " + edges + " replacements");
  }

  @Test
  void cycle_isRefused_atARuleOfIt() {
    assertEquals("rules[0].replaces[0]", refusedField(List.of(rule("a", List.of("a")))));
    List<Rule> rules = rules(1000, 1);
    rules.set(999, rule("r999", List.of("r700")));
    assertEquals("rules[700].replaces[0]", refusedField(rules), "those before only lead to it");
    rules.set(999, rule("r999", List.of()));
    ReplacementCheck.check(rules);
  }

  @Test
  void twoWaysToOneRule_areNoCycle() {
    ReplacementCheck.check(
        List.of(
            rule("a", List.of("b", "c")),
            rule("b", List.of("d")),
            rule("c", List.of("d")),
            rule("d", List.of())));
  }
}
