package dev.plinth.config.core;

import java.time.Instant;

/**
 * One content of a config. It never changes.
 *
 * @param schema the revision that set the schema which it was checked with; 0 for none
 */
public record Revision(
    long number,
    RevisionContent content,
    String actor,
    String comment,
    Instant created,
    long schema) {
  // By estimate: the row around the content.
  private static final int OVERHEAD = 512;

  long bytes() {
    return content.bytes().length + OVERHEAD;
  }
}
