package dev.plinth.client.partition;

/**
 * A partition in this process's hands.
 *
 * @param token higher than that of every owner before; whatever is written for the partition should
 *     carry it
 */
public record Owned(int partition, long token) {}
