package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks which rules replace which. Two that replaced each other would leave nothing limited, so
 * there must be no cycle.
 */
final class ReplacementCheck {
  private final Map<String, Rule> rules = new HashMap<>();

  private ReplacementCheck() {}

  static void check(List<Rule> all) {
    ReplacementCheck known = new ReplacementCheck();
    all.forEach(rule -> known.rules.put(rule.name(), rule));
    for (int i = 0; i < all.size(); i++) {
      known.check("rules[" + i + "].replaces", all.get(i));
    }
  }

  private void check(String path, Rule rule) {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < rule.replaces().size(); i++) {
      String name = rule.replaces().get(i);
      boolean fine =
          rules.containsKey(name) && seen.add(name) && !leadsTo(rule.name(), name, new HashSet<>());
      if (!fine) {
        throw Failure.Invalid.field(
            path + "[" + i + "]",
            FieldChecks.quoted(name),
            "another rule of the policy, once, that does not replace this one");
      }
    }
  }

  private boolean leadsTo(String end, String from, Set<String> visited) {
    return from.equals(end)
        || visited.add(from)
            && rules.containsKey(from)
            && rules.get(from).replaces().stream().anyMatch(next -> leadsTo(end, next, visited));
  }
}
