package dev.plinth.client.id;

import dev.plinth.client.CallFailed;
import dev.plinth.client.Line;

/** Ways to ids of the namespaces that the server keeps; see {@code dev.plinth.client.id}. */
public final class Ids {
  private final Line line;
  private final IdEvents events;

  /** For the client itself. */
  public Ids(Line line) {
    this.line = line;
    // Not by a method reference, which would have to find Micrometer to be linked.
    this.events = line.meters().isPresent() ? IdMeters.of(line) : IdEvents.NONE;
  }

  /** Ids of a dense namespace. One handle serves all threads of a process. */
  public RangeIds range(String namespace) throws InterruptedException {
    return range(namespace, RangeOptions.usual());
  }

  /**
   * Waits for the first range.
   *
   * @throws CallFailed if the server refused it, as for a namespace that is not dense or whose
   *     order is strict, or did not answer
   */
  public RangeIds range(String namespace, RangeOptions options) throws InterruptedException {
    return RangeIds.open(new Ranges(namespace, line, options, events));
  }

  /**
   * Ids of a snowflake namespace, made here. One handle serves all threads of a process: each takes
   * up a worker id. Waits for it.
   *
   * @throws CallFailed if the server refused it, or did not answer
   * @throws IdsUnavailable if all worker ids are out
   */
  public SnowflakeIds snowflake(String namespace) throws InterruptedException {
    return SnowflakeIds.open(namespace, line, events);
  }
}
