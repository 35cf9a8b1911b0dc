package dev.plinth.client.member;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.RegistrySessions;

/** The members of a client; applications have {@link PlinthClient#members}. */
public final class MemberClients {
  private final ClientRuntime runtime;
  private final RegistrySessions sessions;
  private final OpenMembers open;

  /** For the client itself. */
  public MemberClients(ClientRuntime runtime, RegistrySessions sessions) {
    this.runtime = runtime;
    this.sessions = sessions;
    this.open = new OpenMembers(runtime);
    runtime.attach(open);
  }

  public MemberClient of(String namespace) {
    return new MemberClient(namespace, runtime, sessions, open);
  }
}
