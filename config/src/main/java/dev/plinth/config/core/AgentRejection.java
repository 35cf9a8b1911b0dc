package dev.plinth.config.core;

/**
 * An agent that rejected a release.
 *
 * @param config at fault; empty if the agent did not say
 */
public record AgentRejection(String agent, String config, String error) {}
