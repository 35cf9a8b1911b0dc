package dev.plinth.shards.replica;

/** The version that a caller waited for has not reached this node in time. */
public final class ReplicaBehindException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient ReplicaCopy<?> copy;

  /**
   * @param reason why this node knows no more, for people
   */
  ReplicaBehindException(ReplicaCopy<?> copy, String reason) {
    super(reason, null, false, false);
    this.copy = copy;
  }

  /** What this node knows. */
  public ReplicaCopy<?> copy() {
    return copy;
  }
}
