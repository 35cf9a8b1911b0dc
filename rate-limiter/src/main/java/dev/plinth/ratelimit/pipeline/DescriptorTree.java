package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.Match;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules of a policy as Envoy's configuration nests its descriptors: the matches of a rule are
 * the path to its node, and one descriptor leads to one node. At each entry the search continues
 * with its value, else with the first wildcard that matches, else with its key. It never goes back,
 * so a node without rules exempts from those of a less specific path.
 */
final class DescriptorTree {
  private static final class Node {
    final Map<String, Children> byKey = new HashMap<>();
    final List<Rule> rules = new ArrayList<>(1);
  }

  private record WildcardChild(String pattern, Node node) {}

  private static final class Children {
    final Map<String, Node> byValue = new HashMap<>();
    final List<WildcardChild> wildcards = new ArrayList<>(0);
    Node any;

    Node of(String value) {
      Node exact = byValue.get(value);
      if (exact != null) {
        return exact;
      }
      for (WildcardChild each : wildcards) {
        if (Wildcard.matches(each.pattern, value)) {
          return each.node;
        }
      }
      return any;
    }

    Node make(String value) {
      if (value.isEmpty()) {
        any = any == null ? new Node() : any;
        return any;
      } else if (!Wildcard.isPattern(value)) {
        return byValue.computeIfAbsent(value, key -> new Node());
      }
      for (WildcardChild each : wildcards) {
        if (each.pattern.equals(value)) {
          return each.node;
        }
      }
      Node made = new Node();
      wildcards.add(new WildcardChild(value, made));
      return made;
    }
  }

  private final Node root = new Node();

  DescriptorTree(List<Rule> rules) {
    for (Rule rule : rules) {
      if (!(rule.limit() instanceof Limit.Concurrency)) {
        add(rule);
      }
    }
  }

  private void add(Rule rule) {
    Node node = root;
    for (Match match : rule.match()) {
      node = node.byKey.computeIfAbsent(match.key(), key -> new Children()).make(match.value());
    }
    node.rules.add(rule);
  }

  /** The rules at the node that a descriptor leads to, in the order of the policy. */
  List<Rule> find(List<Descriptor> entries) {
    Node node = root;
    for (Descriptor entry : entries) {
      Children children = node.byKey.get(entry.key());
      node = children == null ? null : children.of(entry.value());
      if (node == null) {
        return List.of();
      }
    }
    return node.rules;
  }
}
