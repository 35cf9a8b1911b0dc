package dev.plinth.client.lease;

import dev.plinth.client.TestMachine;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientEvents;
import dev.plinth.client.internal.LocalDeadline;
import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.client.internal.session.LocalLease;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;

/** Handles for tests of what is done with them, with no server behind. */
public final class HeldLeases {
  private HeldLeases() {}

  public static LeaseHandle held(String key, long token) {
    return handle(key, token, session());
  }

  public static LeaseHandle lost(String key, long token) {
    ClientSession session = session();
    LeaseHandle lost = handle(key, token, session);
    session.end();
    return lost;
  }

  private static LeaseHandle handle(String key, long token, ClientSession session) {
    Lease lease = Lease.newBuilder().setNamespace("default").setKey(key).setToken(token).build();
    return new LeaseHandle(LocalLease.on(session, lease, null));
  }

  private static ClientSession session() {
    ManualClock clock = new ManualClock();
    ClientEnvironment environment =
        new ClientEnvironment(TestMachine.of(clock), null, Runnable::run, null, ClientEvents.NONE);
    LocalDeadline localDeadline = new LocalDeadline(environment.now(), Duration.ofSeconds(10));
    return new ClientSession(
        OpenSessionResponse.newBuilder().setSessionId("s").build(),
        localDeadline,
        null,
        environment);
  }
}
