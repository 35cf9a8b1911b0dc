package dev.plinth.registry.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is to be replaced of a member; what is empty stays. */
public record MemberUpdate(
    Optional<Map<String, String>> labels,
    Optional<List<MemberEndpoint>> endpoints,
    Optional<Integer> weight,
    Optional<Boolean> draining) {
  MemberAttributes of(MemberAttributes before) {
    return new MemberAttributes(
        labels.orElse(before.labels()),
        endpoints.orElse(before.endpoints()),
        weight.orElse(before.weight()));
  }
}
