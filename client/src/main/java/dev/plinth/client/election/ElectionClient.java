package dev.plinth.client.election;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.NamespaceSessions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The elections of a client; applications have {@link PlinthClient#election}. */
public final class ElectionClient {
  private final ClientRuntime runtime;
  private final NamespaceSessions sessions;
  private final Map<String, Campaign> candidates = new ConcurrentHashMap<>();

  /** For the client itself. */
  public ElectionClient(ClientRuntime runtime, NamespaceSessions sessions) {
    this.runtime = runtime;
    this.sessions = sessions;
  }

  public Election election(String namespace, String name) {
    return new Election(namespace, name, runtime, sessions, candidates);
  }
}
