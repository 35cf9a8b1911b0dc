package dev.plinth.machine;

/**
 * A thread that runs a body over and over and sleeps in between. The body says for how long; {@link
 * #wake} ends the sleep early. A wake that comes while the body runs is not lost: the body runs
 * once more at once.
 */
public interface Loop extends AutoCloseable {
  /** For a body that need not run again before it is woken. */
  long UNTIL_WOKEN = Long.MAX_VALUE;

  /** What a loop does. */
  interface Body {
    /** Returns how many nanoseconds to sleep; 0 or less to go on at once. */
    long run();
  }

  void start();

  void wake();

  /** Ends after the body that runs now, and waits for it. Not to be called by the body. */
  @Override
  void close();
}
