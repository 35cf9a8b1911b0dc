package dev.plinth.registry.partition;

import java.util.Comparator;
import java.util.TreeSet;

/** A member that joined a group, and what it owns. */
final class PartitionMember {
  /** How it is stored. */
  enum State {
    JOINED,
    /** Another session has its name. It may still act for what it owns, and gets nothing more. */
    SUPERSEDED,
    /** It left or ended: nobody acts for what it still owns. */
    ENDED
  }

  /** The token of its join. */
  final long id;

  final PartitionMemberKey key;
  final PartitionGroup group;
  State state;
  boolean draining;

  /** Those that are not revoked, the one that it has had for longest first. */
  final TreeSet<Partition> kept = new TreeSet<>(Comparator.comparingLong(Partition::token));

  final TreeSet<Partition> revoked = new TreeSet<>(Comparator.comparingInt(Partition::number));

  /** Once it has ended: partitions of it that are yet to go to others. */
  int orphans;

  PartitionMember(long id, PartitionMemberKey key, PartitionGroup group, State state) {
    this.id = id;
    this.key = key;
    this.group = group;
    this.state = state;
  }

  long id() {
    return id;
  }

  /** Whether it is to have its share. */
  boolean takesWork() {
    return state == State.JOINED && !draining;
  }

  int owned() {
    return kept.size() + revoked.size();
  }
}
