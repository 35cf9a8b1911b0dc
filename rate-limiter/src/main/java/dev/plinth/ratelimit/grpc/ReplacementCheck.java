package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks which rules replace which. Two that replaced each other would leave nothing limited, so
 * there must be no cycle. Every replacement is followed once, however many there are.
 */
final class ReplacementCheck {
  private enum Visit {
    NEW,
    /** On the path that is being followed. */
    OPEN,
    /** Leads to no cycle. */
    DONE
  }

  private final List<Rule> rules;
  private final Map<String, Integer> byName = new HashMap<>();
  private final Visit[] visits;
  private final int[] followed; // of each rule, the replacement that is being followed

  private ReplacementCheck(List<Rule> rules) {
    this.rules = rules;
    this.visits = new Visit[rules.size()];
    this.followed = new int[rules.size()];
    for (int i = 0; i < rules.size(); i++) {
      byName.put(rules.get(i).name(), i);
      visits[i] = Visit.NEW;
    }
  }

  static void check(List<Rule> rules) {
    ReplacementCheck check = new ReplacementCheck(rules);
    for (int i = 0; i < rules.size(); i++) {
      check.names(i);
    }
    for (int i = 0; i < rules.size(); i++) {
      check.follow(i);
    }
  }

  private void names(int rule) {
    List<String> names = rules.get(rule).replaces();
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < names.size(); i++) {
      if (!byName.containsKey(names.get(i)) || !seen.add(names.get(i))) {
        throw refused(rule, i);
      }
    }
  }

  /** Depth first, without recursion: a path may be as long as there are rules. */
  private void follow(int start) {
    Deque<Integer> path = new ArrayDeque<>();
    enter(start, path);
    while (!path.isEmpty()) {
      int rule = path.peek();
      List<String> names = rules.get(rule).replaces();
      if (followed[rule] == names.size()) {
        visits[rule] = Visit.DONE;
        path.pop();
        continue;
      }
      int next = byName.get(names.get(followed[rule]));
      if (visits[next] == Visit.OPEN) {
        throw refused(next, followed[next]);
      } else if (visits[next] == Visit.DONE) {
        followed[rule]++;
      } else {
        enter(next, path);
      }
    }
  }

  private void enter(int rule, Deque<Integer> path) {
    if (visits[rule] == Visit.NEW) {
      visits[rule] = Visit.OPEN;
      path.push(rule);
    }
  }

  private Failure.Invalid refused(int rule, int replacement) {
    return Failure.Invalid.field(
        "rules[" + rule + "].replaces[" + replacement + "]",
        FieldChecks.quoted(rules.get(rule).replaces().get(replacement)),
        "another rule of the policy, once, that does not replace this one");
  }
}
