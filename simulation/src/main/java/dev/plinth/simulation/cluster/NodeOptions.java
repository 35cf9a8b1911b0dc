package dev.plinth.simulation.cluster;

/**
 * What nodes are started with.
 *
 * @param queue commands that may queue at a shard
 * @param requestMemoryMiB for remembered answers
 */
public record NodeOptions(
    int nodes, int shards, int queue, int requestMemoryMiB, int callsPerConnection) {}
