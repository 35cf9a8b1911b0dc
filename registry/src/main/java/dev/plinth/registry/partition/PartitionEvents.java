package dev.plinth.registry.partition;

/** What happens to partitions, for metrics. Called on the deciding thread: it only counts. */
public interface PartitionEvents {
  /** A partition has a new owner, or a new token of the same. */
  void assigned();

  /** An owner is to let go of a partition. */
  void revoked();

  /** An owner let go of a revoked partition. */
  void released();

  /** An owner left or ended, and a partition with it. */
  void orphaned();

  void groups(int change);

  void groupMembers(int change);

  void partitions(int change);

  /** Partitions without an owner. */
  void free(int change);

  /** Partitions that are revoked and not released. */
  void unreleased(int change);

  /** Partitions that are revoked for longer than a release should take. */
  void overdue(int change);
}
