package dev.plinth.registry.core;

/** A session as its client names it. */
public record SessionKey(String namespace, String id, long incarnation) {}
