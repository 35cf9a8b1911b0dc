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
    LeaseHandle lost = handle(key, token, session());
    lost.hold().lose();
    return lost;
  }

  private static LeaseHandle handle(String key, long token, Session session) {
    Lease lease = Lease.newBuilder().setNamespace("default").setKey(key).setToken(token).build();
    return new LeaseHandle(lease, Hold.on(session, token), null);
  }

  private static Session session() {
    ManualClock clock = new ManualClock();
    Rhythm rhythm = new Rhythm(clock.nanos(), clock, null, Runnable::run, null, ClientEvents.NONE);
    Tenure tenure = new Tenure(rhythm.now(), Duration.ofSeconds(10));
    return new Session(new SessionKey("s", ""), tenure, null, rhythm);
  }
}
