package dev.plinth.config.core;

import java.time.Instant;

/**
 * Something that happened to a rollout.
 *
 * @param actor the operator who did it; empty if it happened by itself
 */
public record RolloutStep(Instant time, RolloutPhase phase, int stage, String text, String actor) {}
