package dev.plinth.config.core;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A rollout as it is asked for.
 *
 * @param targets a revision of each config that changes
 */
public record RolloutSpec(
    String namespace,
    Map<String, Long> targets,
    Optional<Long> expectedGeneration,
    List<RolloutStage> stages,
    RolloutGates gates,
    RolloutReason why) {}
