package dev.plinth.ratelimit.envoy;

import dev.plinth.ratelimit.v1.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Which limits of a domain replace which. There names need not be unique, and each limit of a name
 * is replaced; rules say that with the name of each.
 */
final class EnvoyReplacements {
  private record Replacement(Rule.Builder rule, String name, YamlNode at) {}

  private final Consumer<String> notes;
  private final Map<String, List<String>> rulesByLimitName = new HashMap<>();
  private final List<Replacement> replacements = new ArrayList<>();

  EnvoyReplacements(Consumer<String> notes) {
    this.notes = notes;
  }

  /**
   * @param replaces may be null
   */
  void add(Rule.Builder rule, String limitName, YamlNode replaces) {
    if (!limitName.isEmpty()) {
      rulesByLimitName.computeIfAbsent(limitName, name -> new ArrayList<>()).add(rule.getName());
    }
    for (YamlNode item : replaces == null ? List.<YamlNode>of() : replaces.items()) {
      YamlNode field = EnvoyConfig.known(item, Set.of("name"), notes).getOrDefault("name", item);
      String name = field == item ? "" : field.text();
      if (name.isEmpty() || name.equals(limitName)) {
        throw field.refused("replaces \"" + name + "\" (expected: the name of another limit)");
      }
      replacements.add(new Replacement(rule, name, field));
    }
  }

  /** Sets which rules each rule replaces. */
  void fill() {
    for (Replacement each : replacements) {
      List<String> replaced = rulesByLimitName.getOrDefault(each.name, List.of());
      if (replaced.isEmpty()) {
        notes.accept(each.at.note("replaces " + each.name + ", but no limit has that name"));
      }
      replaced.stream()
          .filter(rule -> !each.rule.getReplacesList().contains(rule))
          .forEach(each.rule::addReplaces);
    }
    Map<String, List<String>> next = new HashMap<>();
    replacements.forEach(each -> next.put(each.rule.getName(), each.rule.getReplacesList()));
    for (Replacement each : replacements) {
      String rule = each.rule.getName();
      for (String replaced : rulesByLimitName.getOrDefault(each.name, List.of())) {
        if (leadsTo(rule, replaced, next, new HashSet<>())) {
          throw each.at.refused(
              "replaces "
                  + each.name
                  + ", which replaces this one: both would be off (expected: no circle)");
        }
      }
    }
  }

  private static boolean leadsTo(
      String end, String from, Map<String, List<String>> next, Set<String> visited) {
    return from.equals(end)
        || visited.add(from)
            && next.getOrDefault(from, List.of()).stream()
                .anyMatch(other -> leadsTo(end, other, next, visited));
  }
}
