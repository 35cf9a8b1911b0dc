package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.BudgetKey;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.Match;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The budgets of Envoy's descriptors. Those of one request are matched together, since a rule
 * replaces others of the same request, whichever descriptor they are for. What came out for a
 * descriptor is remembered.
 */
final class DescriptorMatcher {
  private static final int FOUND_BYTES = 96; // records and lists, without texts

  /**
   * What one descriptor comes to.
   *
   * @param unlimited the rule that exempts it
   */
  record Matched(BudgetSet set, Optional<Rule> unlimited) {}

  /** Before anything is replaced. */
  private record Found(List<BudgetSetCache.RuleKey> ruleKeys, Matched whole, boolean replaces) {
    int bytes() {
      int bytes = FOUND_BYTES + whole.set.bytesWithBudgets();
      for (BudgetSetCache.RuleKey each : ruleKeys) {
        bytes += FOUND_BYTES + DescriptorCache.bytesOf(each.key());
      }
      return bytes;
    }
  }

  private final DescriptorTree tree;
  private final BudgetSetCache sets;
  private final DescriptorCache.View<List<Descriptor>, Found> known;

  DescriptorMatcher(Policy policy, BudgetSetCache sets) {
    this.tree = new DescriptorTree(policy.rules());
    this.sets = sets;
    this.known =
        sets.cache()
            .view(
                DescriptorCache.BY_VALUES,
                (key, found) -> DescriptorCache.bytesOf(key) + found.bytes());
  }

  /** One for each descriptor, in their order. */
  List<Matched> match(List<List<Descriptor>> request) {
    List<Found> found = new ArrayList<>(request.size());
    boolean replaces = false;
    for (List<Descriptor> entries : request) {
      Found one = find(entries);
      found.add(one);
      replaces |= one.replaces;
    }
    if (!replaces) {
      return found.stream().map(Found::whole).toList();
    }
    Set<String> replaced = replacedBy(found);
    return found.stream().map(one -> without(replaced, one)).toList();
  }

  private static Set<String> replacedBy(List<Found> found) {
    Set<String> names = new HashSet<>();
    for (Found one : found) {
      one.ruleKeys.forEach(each -> names.addAll(each.rule().replaces()));
      one.whole.unlimited.ifPresent(rule -> names.addAll(rule.replaces()));
    }
    return names;
  }

  private Matched without(Set<String> replaced, Found one) {
    List<BudgetSetCache.RuleKey> kept =
        one.ruleKeys.stream().filter(each -> !replaced.contains(each.rule().name())).toList();
    return kept.size() == one.ruleKeys.size()
        ? one.whole
        : new Matched(sets.charging(kept), one.whole.unlimited);
  }

  private Found find(List<Descriptor> entries) {
    List<Descriptor> shortened = shortened(entries);
    Found before = known.get(shortened);
    return before != null ? before : known.put(shortened, found(tree.find(entries), shortened));
  }

  private Found found(List<Rule> rules, List<Descriptor> entries) {
    Optional<Rule> unlimited =
        rules.stream().filter(rule -> rule.limit() instanceof Limit.Unlimited).findFirst();
    List<BudgetSetCache.RuleKey> ruleKeys =
        rules.stream()
            .filter(rule -> unlimited.isEmpty())
            .map(rule -> new BudgetSetCache.RuleKey(rule, key(rule, entries)))
            .toList();
    return new Found(
        ruleKeys,
        new Matched(sets.charging(ruleKeys), unlimited),
        rules.stream().anyMatch(rule -> !rule.replaces().isEmpty()));
  }

  private static String key(Rule rule, List<Descriptor> entries) {
    List<Descriptor> values = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      Match match = rule.match().get(i);
      values.add(match.shared() ? new Descriptor(match.key(), match.value()) : entries.get(i));
    }
    return BudgetKey.of(rule.name(), values);
  }

  /**
   * A value may be as long as a caller's path or header: refused, it would pass unlimited where the
   * proxy fails open. It is matched whole, but neither remembered nor stored so.
   */
  private static List<Descriptor> shortened(List<Descriptor> entries) {
    return entries.stream()
        .map(entry -> new Descriptor(entry.key(), Descriptor.shortened(entry.value())))
        .toList();
  }
}
