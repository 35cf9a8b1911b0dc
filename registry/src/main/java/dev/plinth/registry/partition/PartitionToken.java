package dev.plinth.registry.partition;

/** A partition as it was assigned once. */
public record PartitionToken(int partition, long token) {}
