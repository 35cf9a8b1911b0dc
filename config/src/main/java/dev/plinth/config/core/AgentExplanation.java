package dev.plinth.config.core;

/**
 * Why an agent has what it has.
 *
 * @param bucket its place in the rollout that is under way, or was last
 * @param stage the first stage of that rollout that is for it; -1 if none is
 */
public record AgentExplanation(AgentView agent, String why, int bucket, int stage) {}
