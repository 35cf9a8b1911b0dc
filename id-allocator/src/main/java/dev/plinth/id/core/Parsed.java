package dev.plinth.id.core;

/** What an id is made of. */
public sealed interface Parsed {
  long id();

  boolean issued();

  /**
   * @param position -1 if the counter has no such id
   */
  record Counted(long id, long position, boolean issued) implements Parsed {}

  /** Of a snowflake. */
  record Worked(long id, long timeMs, int worker, long sequence, boolean issued)
      implements Parsed {}
}
