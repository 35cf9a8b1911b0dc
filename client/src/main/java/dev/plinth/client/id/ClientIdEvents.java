package dev.plinth.client.id;

/** What is counted of ids. Called where it happens, so nothing here may block. */
interface ClientIdEvents {
  ClientIdEvents NONE = new ClientIdEvents() {};

  default void opened(IdGeneratorGauges gauges) {}

  default void closed(IdGeneratorGauges gauges) {}

  /** A caller found no ids and waits for a range. */
  default void stalled(String namespace) {}

  /** The server took ids back. */
  default void returned(String namespace, long ids) {}
}
