package dev.plinth.client.partition;

/** The partition is not this process's, or may be another's by now. */
public final class PartitionLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PartitionLostException(String group, int partition) {
    super("partition " + partition + " of " + group + " (expected: one that is owned here)");
  }
}
