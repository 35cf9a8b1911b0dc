package dev.plinth.registry.partition;

import java.util.List;

/**
 * What came of a release.
 *
 * @param outcomes for each partition, in the order of the request
 * @param revoked partitions of the member that are still to be released
 */
public record PartitionReleases(List<ReleaseOutcome> outcomes, int revoked) {}
