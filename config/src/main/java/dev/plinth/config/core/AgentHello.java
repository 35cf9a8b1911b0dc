package dev.plinth.config.core;

import dev.plinth.registry.core.SessionKey;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An agent as it introduces itself.
 *
 * @param session in the registry of the same namespace
 * @param configs that it follows
 * @param held what it has, by group
 */
public record AgentHello(
    AgentIdentity identity,
    Optional<SessionKey> session,
    Set<String> configs,
    Map<String, HeldRelease> held) {}
