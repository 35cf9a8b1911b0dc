package dev.plinth.registry.core;

import java.time.Instant;

/** An operator's word that the member of a name is out of service. */
public record MemberOverride(String actor, String reason, Instant at) {}
