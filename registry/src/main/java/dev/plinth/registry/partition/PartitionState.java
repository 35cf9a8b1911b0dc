package dev.plinth.registry.partition;

/** Whether a partition has an owner, and whether that one is to let go. */
public enum PartitionState {
  FREE,
  ASSIGNED,
  REVOKED
}
