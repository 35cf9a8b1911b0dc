package dev.plinth.lease.core;

/** Who holds or waits: an owner, in a session or, where that is empty, on its own. */
public record LeaseOwner(String ownerId, String sessionId) {}
