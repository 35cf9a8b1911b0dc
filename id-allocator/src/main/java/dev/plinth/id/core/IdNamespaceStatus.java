package dev.plinth.id.core;

import java.time.Duration;
import java.util.Optional;

/** A namespace and how far it is. */
public record IdNamespaceStatus(
    String name,
    NamespaceDefinition namespaceDefinition,
    long version,
    double rate,
    Progress progress) {
  /** By the kind of namespace. */
  public sealed interface Progress {}

  /**
   * @param next the first id that nobody has, 0 if there is none
   */
  public record DenseProgress(
      SequenceLedger sequenceLedger, long next, long idsLeft, Optional<Duration> runway, long epoch)
      implements Progress {}

  /** Worker ids in use, of all there are. */
  public record SnowflakeProgress(int inUse, int workers) implements Progress {}
}
