package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.policy.BudgetKey;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.ratelimit.policy.Rule.Match;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which rules apply to descriptors. A rule is tried only if one of the descriptors has the key of
 * its first match, and what came out is remembered, so that a check that is like an earlier one
 * costs a lookup.
 */
final class RuleMatcher {
  /** What the rules are matched for. */
  enum Mode {
    CHECKS,
    SLOTS
  }

  private final List<Rule> rules;
  private final BudgetSetCache sets;
  private final BitSet always = new BitSet();
  private final Map<String, BitSet> byFirstKey = new HashMap<>();
  private final Map<String, Integer> byName = new HashMap<>();
  private final DescriptorCache.View<List<Descriptor>, BudgetSet> known;

  RuleMatcher(Policy policy, Mode mode, BudgetSetCache sets) {
    this.rules = policy.rules();
    this.sets = sets;
    this.known =
        sets.cache()
            .view(
                DescriptorCache.BY_VALUES,
                (key, set) -> DescriptorCache.bytesOf(key) + set.bytesWithBudgets());
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      byName.put(rule.name(), i);
      if (rule.limit() instanceof Limit.Concurrency == (mode == Mode.SLOTS) && !hasKeyTwice(rule)) {
        indexOf(rule).set(i);
      }
    }
  }

  /** No check has a key twice. */
  private static boolean hasKeyTwice(Rule rule) {
    return rule.match().stream().map(Match::key).distinct().count() < rule.match().size();
  }

  private BitSet indexOf(Rule rule) {
    return rule.match().isEmpty()
        ? always
        : byFirstKey.computeIfAbsent(rule.match().get(0).key(), key -> new BitSet());
  }

  BudgetSet match(List<Descriptor> descriptors) {
    BudgetSet set = known.get(descriptors);
    return set != null ? set : known.put(List.copyOf(descriptors), find(descriptors));
  }

  private BudgetSet find(List<Descriptor> descriptors) {
    BitSet matching = (BitSet) always.clone();
    for (Descriptor descriptor : descriptors) {
      matching.or(byFirstKey.getOrDefault(descriptor.key(), new BitSet()));
    }
    for (int i = matching.nextSetBit(0); i >= 0; i = matching.nextSetBit(i + 1)) {
      if (!matches(rules.get(i), descriptors)) {
        matching.clear(i);
      }
    }
    BitSet replaced = replacedOf(matching);
    List<String> names = replaced.stream().mapToObj(i -> rules.get(i).name()).toList();
    matching.andNot(replaced);
    List<BudgetSetCache.RuleKey> ruleKeys = new ArrayList<>();
    matching.stream()
        .mapToObj(rules::get)
        .filter(rule -> !(rule.limit() instanceof Limit.Unlimited))
        .forEach(rule -> ruleKeys.add(ruleKey(rule, descriptors)));
    return sets.of(ruleKeys, names);
  }

  /**
   * A rule that is replaced replaces only those after it, so that rules that replace each other in
   * a circle never leave nothing.
   */
  private BitSet replacedOf(BitSet matching) {
    BitSet replaced = new BitSet();
    for (int i = matching.nextSetBit(0); i >= 0; i = matching.nextSetBit(i + 1)) {
      for (String name : rules.get(i).replaces()) {
        int other = byName.getOrDefault(name, -1);
        if (other >= 0 && other != i && matching.get(other) && !(replaced.get(i) && other < i)) {
          replaced.set(other);
        }
      }
    }
    return replaced;
  }

  private static boolean matches(Rule rule, List<Descriptor> descriptors) {
    for (Match match : rule.match()) {
      Descriptor descriptor = find(match.key(), descriptors);
      if (descriptor == null || !accepts(match, descriptor)) {
        return false;
      }
    }
    return true;
  }

  private static boolean accepts(Match match, Descriptor descriptor) {
    String wanted = match.value();
    if (wanted.isEmpty()) {
      return true;
    }
    return Wildcard.isPattern(wanted)
        ? Wildcard.matches(wanted, descriptor.value())
        : descriptor.value().equals(wanted);
  }

  private static Descriptor find(String key, List<Descriptor> descriptors) {
    for (Descriptor descriptor : descriptors) {
      if (descriptor.key().equals(key)) {
        return descriptor;
      }
    }
    return null;
  }

  private static BudgetSetCache.RuleKey ruleKey(Rule rule, List<Descriptor> descriptors) {
    List<Descriptor> values = new ArrayList<>();
    for (Match match : rule.match()) {
      values.add(
          match.shared()
              ? new Descriptor(match.key(), match.value())
              : find(match.key(), descriptors));
    }
    return new BudgetSetCache.RuleKey(rule, BudgetKey.of(rule.name(), values));
  }
}
