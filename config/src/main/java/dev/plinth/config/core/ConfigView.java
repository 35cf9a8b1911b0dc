package dev.plinth.config.core;

/**
 * A config at one moment.
 *
 * @param active the revision that agents have that no rollout under way has reached; 0 for none
 * @param rollout the generation of a rollout under way; 0 for none
 */
public record ConfigView(
    ConfigName name, String group, long newest, long active, long activeGeneration, long rollout) {}
