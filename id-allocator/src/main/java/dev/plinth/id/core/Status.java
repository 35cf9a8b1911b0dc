package dev.plinth.id.core;

import java.time.Duration;
import java.util.Optional;

/** A namespace and how far it is. */
public record Status(
    String name, Definition definition, long version, double rate, Progress progress) {
  /** By the kind of namespace. */
  public sealed interface Progress {}

  /**
   * @param next the first id that nobody has, 0 if there is none
   */
  public record Counted(
      Ledger ledger, long next, long idsLeft, Optional<Duration> runway, long epoch)
      implements Progress {}

  /** Worker ids in use, of all there are. */
  public record Worked(int inUse, int workers) implements Progress {}
}
