package dev.plinth.client;

import dev.plinth.lease.v1.Lease;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;

/** Handles for tests of what is done with them, with no server behind. */
public final class HeldLeases {
  private HeldLeases() {}

  public static LeaseHandle held(String key, long token) {
    return handle(key, token, session());
  }

  public static LeaseHandle lost(String key, long token) {
    Session session = session();
    session.end();
    return handle(key, token, session);
  }

  private static LeaseHandle handle(String key, long token, Session session) {
    Lease lease = Lease.newBuilder().setNamespace("default").setKey(key).setToken(token).build();
    return new LeaseHandle(lease, session, null);
  }

  private static Session session() {
    ManualClock clock = new ManualClock();
    Rhythm rhythm = new Rhythm(clock.nanos(), null, Runnable::run, null);
    return new Session("s", new Tenure(0, Duration.ofSeconds(10)), null, rhythm);
  }
}
