package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Rule.Match;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules of a policy as Envoy's configuration nests its descriptors: the matches of a rule are
 * the way to its place, and one descriptor leads to one place. At each entry the way goes on with
 * its value, else with the first wildcard that fits, else with its key; it never turns back, so
 * that a place without rules exempts from those of a less specific way.
 */
final class DescriptorTree {
  private static final class Place {
    final Map<String, Ways> byKey = new HashMap<>();
    final List<Rule> rules = new ArrayList<>(1);
  }

  private record Fitting(String pattern, Place place) {}

  private static final class Ways {
    final Map<String, Place> byValue = new HashMap<>();
    final List<Fitting> wildcards = new ArrayList<>(0);
    Place any;

    Place of(String value) {
      Place exact = byValue.get(value);
      if (exact != null) {
        return exact;
      }
      for (Fitting each : wildcards) {
        if (Wildcard.matches(each.pattern, value)) {
          return each.place;
        }
      }
      return any;
    }

    Place make(String value) {
      if (value.isEmpty()) {
        any = any == null ? new Place() : any;
        return any;
      } else if (!Wildcard.isOne(value)) {
        return byValue.computeIfAbsent(value, key -> new Place());
      }
      for (Fitting each : wildcards) {
        if (each.pattern.equals(value)) {
          return each.place;
        }
      }
      Place made = new Place();
      wildcards.add(new Fitting(value, made));
      return made;
    }
  }

  private final Place root = new Place();

  DescriptorTree(List<Rule> rules) {
    for (Rule rule : rules) {
      if (!(rule.limit() instanceof Limit.Concurrency)) {
        add(rule);
      }
    }
  }

  private void add(Rule rule) {
    Place place = root;
    for (Match match : rule.match()) {
      place = place.byKey.computeIfAbsent(match.key(), key -> new Ways()).make(match.value());
    }
    place.rules.add(rule);
  }

  /** The rules at the place that a descriptor leads to, in the order of the policy. */
  List<Rule> find(List<Descriptor> entries) {
    Place place = root;
    for (Descriptor entry : entries) {
      Ways ways = place.byKey.get(entry.key());
      place = ways == null ? null : ways.of(entry.value());
      if (place == null) {
        return List.of();
      }
    }
    return place.rules;
  }
}
