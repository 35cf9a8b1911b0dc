package dev.plinth.registry.partition;

import java.time.Instant;
import java.util.Optional;

/** One partition of a group and its owner, if it has one. */
final class Partition {
  final int number;
  PartitionState state = PartitionState.FREE;

  /** Null while it is FREE. It may have ended: then the partition is about to go to another. */
  PartitionMember owner;

  long token;
  Instant since;

  /** While it is REVOKED: since when, by the shard's clock. */
  long revokedAt;

  boolean overdue;

  Partition(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  long token() {
    return token;
  }

  String ownerName() {
    return owner == null ? "" : owner.key.name();
  }

  PartitionView view() {
    return owner == null
        ? new PartitionView(number, state, "", "", 0, Optional.empty(), false)
        : new PartitionView(
            number,
            state,
            owner.key.name(),
            owner.key.sessionId(),
            token,
            Optional.of(since),
            overdue);
  }
}
