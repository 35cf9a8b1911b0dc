package dev.plinth.registry.core;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a member says of itself; labels are in the order of their keys. */
public record MemberAttributes(
    Map<String, String> labels, List<MemberEndpoint> endpoints, int weight) {
  static final MemberAttributes NONE = new MemberAttributes(Map.of(), List.of(), 0);

  public MemberAttributes {
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    endpoints = List.copyOf(endpoints);
  }
}
