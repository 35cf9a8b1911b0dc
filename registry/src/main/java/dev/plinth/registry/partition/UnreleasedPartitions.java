package dev.plinth.registry.partition;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The partitions of a group that are revoked and not released, and which of them are overdue. That
 * is only shown: nothing is taken from an owner that may still act. A new owner of the shard counts
 * anew.
 */
final class UnreleasedPartitions {
  /** A release should take no longer. */
  static final Duration MAX_TIME = Duration.ofSeconds(30);

  private final PartitionEvents events;

  /** Revoked first, first. */
  private final Set<Partition> waiting = new LinkedHashSet<>();

  private int overdue;
  private int count;
  private Tx.Timer timer;

  UnreleasedPartitions(PartitionEvents events) {
    this.events = events;
  }

  int count() {
    return count;
  }

  int overdue() {
    return overdue;
  }

  void add(Partition partition, Tx tx) {
    partition.revokedAt = tx.nanos();
    partition.overdue = false;
    waiting.add(partition);
    count++;
    events.unreleased(1);
    arm(tx);
  }

  /** It has another owner or none. */
  void remove(Partition partition) {
    if (partition.overdue) {
      partition.overdue = false;
      overdue--;
      events.overdue(-1);
    }
    waiting.remove(partition);
    count--;
    events.unreleased(-1);
    if (waiting.isEmpty() && timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void arm(Tx tx) {
    if (timer == null && !waiting.isEmpty()) {
      long first = waiting.iterator().next().revokedAt;
      timer = tx.at(first + MAX_TIME.toNanos(), this::check);
    }
  }

  private void check(Tx tx) {
    timer = null;
    var first = waiting.iterator();
    while (first.hasNext()) {
      Partition partition = first.next();
      if (tx.nanos() - partition.revokedAt < MAX_TIME.toNanos()) {
        break;
      }
      first.remove();
      partition.overdue = true;
      overdue++;
      events.overdue(1);
    }
    arm(tx);
  }

  void removeFromGauges() {
    events.unreleased(-count);
    events.overdue(-overdue);
  }
}
