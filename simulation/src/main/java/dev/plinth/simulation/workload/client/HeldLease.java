package dev.plinth.simulation.workload.client;

import dev.plinth.client.LeaseState;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.client.lease.LeaseLostException;
import dev.plinth.testkit.HoldChecker.Hold;

/** A lease in the hands of a client, and when the client was seen to believe in it. */
final class HeldLease implements Belief {
  /** Margins of deadlines are longer, and what tells of a loss takes less. */
  private static final long TELLING_MILLIS = 100;

  private final ClientLife life;
  private final LeaseHandle handle;
  private final boolean shared;
  private final long asked;
  private final long granted;
  private long believed;
  private int told;
  private boolean givenBack;

  HeldLease(ClientLife life, LeaseHandle handle, boolean shared, long asked) {
    this.life = life;
    this.handle = handle;
    this.shared = shared;
    this.asked = asked;
    this.granted = life.now();
    this.believed = granted;
  }

  LeaseHandle handle() {
    return handle;
  }

  @Override
  public String key() {
    return handle.key();
  }

  @Override
  public long token() {
    return handle.token();
  }

  @Override
  public boolean isShared() {
    return shared;
  }

  void toldOfLoss() {
    told++;
  }

  @Override
  public int told() {
    return told;
  }

  /** It is not the client's own doing if it ends before. */
  void givesBack() {
    givenBack = true;
  }

  @Override
  public boolean isGivenBack() {
    return givenBack;
  }

  @Override
  public boolean isAlive() {
    return life.isAlive();
  }

  @Override
  public boolean isPrompt() {
    return life.computer().isAwakeFor(TELLING_MILLIS);
  }

  @Override
  public boolean isBelieved() {
    if (!life.computer().isUp()) {
      return false; // it can do nothing now; what it makes of its clocks counts when it is awake
    }
    try {
      handle.requireHeld();
      believed = life.now();
      return true;
    } catch (LeaseLostException e) {
      return false;
    }
  }

  boolean isLost() {
    return handle.state() == LeaseState.LOST;
  }

  @Override
  public Hold hold() {
    return new Hold(key(), life.name(), token(), asked, granted, shared ? granted : believed);
  }

  @Override
  public String toString() {
    return "%s of %s%s, granted at %d ms, believed at %d ms, %s"
        .formatted(
            handle,
            life,
            shared ? " (shared)" : "",
            granted / 1_000_000,
            believed / 1_000_000,
            givenBack ? "given back" : "told " + told + " times");
  }
}
