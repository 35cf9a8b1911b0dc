package dev.plinth.shards.store;

/** A key, readable for an operator, and the bytes kept under it. */
public record Row(String key, byte[] value) {}
