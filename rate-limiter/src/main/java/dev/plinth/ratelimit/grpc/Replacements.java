package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.server.failure.Failure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which rules stand in for which. Two that stood in for each other would leave nothing limited, so
 * there must be no circle.
 */
final class Replacements {
  private final Map<String, Rule> rules = new HashMap<>();

  private Replacements() {}

  static void check(List<Rule> all) {
    Replacements known = new Replacements();
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
            RateLimitWire.quoted(name),
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
