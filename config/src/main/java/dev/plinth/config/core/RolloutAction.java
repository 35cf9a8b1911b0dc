package dev.plinth.config.core;

import java.util.Optional;

/** What an operator does with a rollout. */
public record RolloutAction(
    GroupName group, long generation, Optional<Long> expectedVersion, RolloutReason why) {}
