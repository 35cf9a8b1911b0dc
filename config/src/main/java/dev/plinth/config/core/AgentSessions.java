package dev.plinth.config.core;

import dev.plinth.registry.core.SessionKey;

/** The sessions of the registry in the same shard. */
@FunctionalInterface
public interface AgentSessions {
  boolean isOpen(SessionKey session);
}
