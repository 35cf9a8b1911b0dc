package dev.plinth.ratelimit.store.redis;

import java.util.Optional;

/** The connections to the Redis that has a domain's keys. */
interface RedisConnections extends AutoCloseable {
  /** Empty while there is no connection. */
  Optional<ReconnectingConnection.LiveConnection> pick(String domain);

  /**
   * The node that Redis itself named as the owner of a domain's keys; empty if it cannot be.
   *
   * @param by who named it
   * @param hostPort without a host if that is the same as of {@code by}
   */
  Optional<ReconnectingConnection.LiveConnection> pickMoved(
      ReconnectingConnection.LiveConnection by, String hostPort);

  /** Why none of them can be used, or empty if they can. */
  Optional<String> unavailableReason();

  @Override
  void close();
}
