package dev.plinth.registry.partition;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Says why a partition is in its state, in words and figures. */
final class PartitionExplainer {
  private PartitionExplainer() {}

  static PartitionExplanation explain(PartitionGroup group, Partition partition, long now) {
    boolean ended = partition.owner != null && partition.owner.state == PartitionMember.State.ENDED;
    boolean revoked = partition.state == PartitionState.REVOKED && !ended;
    Optional<Duration> revokedFor =
        revoked
            ? Optional.of(Duration.ofNanos(Math.max(0, now - partition.revokedAt)))
            : Optional.empty();
    String why =
        switch (partition.state) {
          case FREE -> "FREE: " + taker(group);
          case ASSIGNED, REVOKED ->
              ended
                  ? partition.state
                      + ": its owner "
                      + owner(partition)
                      + " is gone; "
                      + taker(group)
                  : revokedFor
                      .map(time -> revoked(partition, time))
                      .orElse(assigned(group, partition));
        };
    return new PartitionExplanation(partition.view(), why, revokedFor);
  }

  private static String taker(PartitionGroup group) {
    return group.sharers.hasTaker()
        ? "it is about to be assigned"
        : "no member of the group takes partitions; it is assigned when one does";
  }

  private static String owner(Partition partition) {
    return partition.owner.key.name() + " of session " + partition.owner.key.sessionId();
  }

  private static String assigned(PartitionGroup group, Partition partition) {
    return "ASSIGNED: %s has %d of %d partitions, which %d members share"
        .formatted(
            owner(partition),
            partition.owner.owned(),
            group.partitions.length,
            group.sharers.joined());
  }

  private static String revoked(Partition partition, Duration time) {
    return "REVOKED: %s is to release it, since %s; it has not for %s (expected: %s at most) and keeps it until it does, leaves, or is DEAD"
        .formatted(
            owner(partition),
            cause(partition.owner),
            text(time),
            text(UnreleasedPartitions.MAX_TIME));
  }

  private static String cause(PartitionMember owner) {
    if (owner.state == PartitionMember.State.SUPERSEDED) {
      return "another session has its name";
    }
    return owner.draining ? "it is DRAINING" : "another member is to have it";
  }

  private static String text(Duration time) {
    return String.format(Locale.ROOT, "%.1fs", time.toMillis() / 1000.0);
  }
}
