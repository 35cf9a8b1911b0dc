package dev.plinth.registry.core;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a member says of itself. */
public record MemberAttributes(
    Map<String, String> labels, List<MemberEndpoint> endpoints, int weight) {
  static final MemberAttributes NONE = new MemberAttributes(Map.of(), List.of(), 0);

  public MemberAttributes {
    labels = Map.copyOf(labels);
    endpoints = List.copyOf(endpoints);
  }

  /** In the order of keys, so that equal ones are stored alike. */
  Map<String, String> sortedLabels() {
    return new TreeMap<>(labels);
  }
}
