package dev.plinth.client.id;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;

/** Ways to ids of the namespaces that the server keeps; see {@code dev.plinth.client.id}. */
public final class IdClient {
  private final ClientRuntime runtime;
  private final ClientIdEvents events;

  /** For the client itself. */
  public IdClient(ClientRuntime runtime) {
    this.runtime = runtime;
    // Not by a method reference, which would have to find Micrometer to be linked.
    this.events = runtime.meters().isPresent() ? ClientIdMetrics.of(runtime) : ClientIdEvents.NONE;
  }

  /** Ids of a dense namespace. One handle serves all threads of a process. */
  public RangeIdGenerator range(String namespace) throws InterruptedException {
    return range(namespace, RangeOptions.defaults());
  }

  /**
   * Waits for the first range.
   *
   * @throws CallFailedException if the server refused it, as for a namespace that is not dense or
   *     whose order is strict, or did not answer
   */
  public RangeIdGenerator range(String namespace, RangeOptions options)
      throws InterruptedException {
    return RangeIdGenerator.open(new RangeFetcher(namespace, runtime, options, events));
  }

  /**
   * Ids of a snowflake namespace, made here. One handle serves all threads of a process: each takes
   * up a worker id. Waits for it.
   *
   * @throws CallFailedException if the server refused it, or did not answer
   * @throws IdsUnavailableException if all worker ids are out
   */
  public SnowflakeIdGenerator snowflake(String namespace) throws InterruptedException {
    return SnowflakeIdGenerator.open(namespace, runtime, events);
  }
}
