package dev.plinth.shards;

/** A shard cannot be served for a reason that needs a person; the message says what to do. */
final class ShardRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ShardRefusedException(String message) {
    super(message, null, false, false);
  }
}
