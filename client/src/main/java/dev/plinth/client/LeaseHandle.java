package dev.plinth.client;

import dev.plinth.lease.v1.Lease;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A key in this client's hands, kept until it is closed or lost. The loss is noticed here, by this
 * machine's monotonic clock, before the server can give the key to another; only a pause between
 * looking and acting, or of the whole machine, is not covered: for that the {@link #token} goes
 * with each write.
 */
public final class LeaseHandle implements AutoCloseable {
  private final Lease lease;
  private final Session session;
  private final Releases releases;
  private final AtomicBoolean released = new AtomicBoolean();

  LeaseHandle(Lease lease, Session session, Releases releases) {
    this.lease = lease;
    this.session = session;
    this.releases = releases;
  }

  public String namespace() {
    return lease.getNamespace();
  }

  public String key() {
    return lease.getKey();
  }

  /** Higher than that of every earlier grant in the namespace. */
  public long token() {
    return lease.getToken();
  }

  public LeaseState state() {
    return released.get() ? LeaseState.RELEASED : session.state();
  }

  /** Time until the lease is LOST if no renewal succeeds; zero if it is, or was given back. */
  public Duration remaining() {
    return released.get() ? Duration.ZERO : session.remaining();
  }

  /**
   * The token, for the write that follows.
   *
   * @throws LeaseLost if it is not held any more
   */
  public long requireHeld() {
    LeaseState state = state();
    if (state == LeaseState.LOST || state == LeaseState.RELEASED) {
      throw new LeaseLost(key(), token(), state);
    }
    return token();
  }

  /** Each time the lease gets into jeopardy; at once if it is. May run beside other callbacks. */
  public void onJeopardy(Runnable task) {
    session.listen(this, LeaseState.JEOPARDY, task);
  }

  /**
   * Once, when the lease is lost; at once if it is. Not when it is closed, but when the client is.
   */
  public void onLost(Runnable task) {
    session.listen(this, LeaseState.LOST, task);
  }

  /** Gives the key back. If the server does not answer, the client goes on trying by itself. */
  @Override
  public void close() {
    if (end()) {
      releases.now(lease);
    }
  }

  void closeLater() {
    if (end()) {
      releases.later(lease);
    }
  }

  private boolean end() {
    session.forget(this);
    return released.compareAndSet(false, true);
  }

  @Override
  public String toString() {
    return key() + " with token " + token() + ", " + state();
  }
}
