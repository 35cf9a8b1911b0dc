package dev.plinth.bench.limits;

/** One way to ask whether a call may pass; all threads of a process share it. */
interface Contestant {
  /** Before the clock runs, once for all processes. */
  default void define() throws Exception {}

  /** Whether one call of the key passes now. Never waits for its turn. */
  boolean tryAcquire(int key) throws Exception;

  /** Ends what it has in the background. Clients are the process's, and stay. */
  default void close() throws Exception {}
}
