package dev.plinth.shards;

/**
 * What one command or timer does beyond its app's state. Everything in it takes effect together,
 * with the commit that carries it, or not at all.
 */
public interface Tx {
  /** The shard's monotonic clock, read once for this transaction. */
  long nanos();

  /**
   * Whether no other node can have become the owner of the shard until now. A command runs only if
   * so; a timer that says something which must be true now asks for itself.
   */
  default boolean hasAuthority() {
    return true;
  }

  void put(String key, byte[] value);

  void delete(String key);

  /** Adds an entry to a log, in whose row for this commit it stands with those of others. */
  void append(CommitLog log, byte[] entry);

  /**
   * Rows written so far, all logs counted as one. A store bounds them, so one that would write many
   * goes on later.
   */
  int writes();

  /** Runs when all this is durable, in the order asked for; not at all if it never is. */
  void afterCommit(Runnable task);

  /** Tells watchers, once it is durable. */
  void emit(Event event);

  /**
   * A fencing token: higher than every one that this shard gave before, over restarts and changes
   * of owner, and unlike any of another shard.
   */
  long token();

  /** No token of this shard was ever above this one. */
  long tokenLimit();

  /** Runs a task in a transaction of its own when the time has come; never before. */
  Timer at(long nanos, TimerTask task);

  /**
   * Like {@link #at}, also while the store takes no writes: for a task that writes nothing and only
   * tells callers what they wait for.
   */
  Timer tellAt(long nanos, TimerTask task);

  /** What a timer does. */
  @FunctionalInterface
  interface TimerTask {
    void run(Tx tx);
  }

  /** A task that waits for its time. */
  interface Timer {
    void cancel();
  }
}
