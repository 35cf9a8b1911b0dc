package dev.plinth.id.core;

/** What an id is made of. */
public sealed interface ParsedId {
  long id();

  boolean issued();

  /**
   * @param position -1 if the counter has no such id
   */
  record DenseParts(long id, long position, boolean issued) implements ParsedId {}

  /** Of a snowflake. */
  record SnowflakeParts(long id, long timeMs, int worker, long sequence, boolean issued)
      implements ParsedId {}
}
