package dev.plinth.id.core;

/**
 * Something granted.
 *
 * @param durable whether all it rests on is in the store already, so that the answer need not wait
 */
public record Allocation<T>(T value, boolean durable) {}
