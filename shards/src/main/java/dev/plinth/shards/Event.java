package dev.plinth.shards;

/**
 * Something that was committed, for watchers: the key it is about, and what the app has to say of
 * it.
 */
public record Event(String key, Object body) {}
