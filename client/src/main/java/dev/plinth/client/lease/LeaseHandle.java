package dev.plinth.client.lease;

import dev.plinth.client.LeaseState;
import dev.plinth.client.internal.session.LocalLease;
import dev.plinth.lease.v1.ReleaseAsk;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A key in this client's hands, kept until it is closed or lost. The loss is noticed here, by this
 * machine's monotonic clock, before the server can give the key to another; only a pause between
 * looking and acting, or of the whole machine, is not covered, nor an operator who takes it without
 * asking: for that the {@link #token} goes with each write.
 */
public final class LeaseHandle implements AutoCloseable {
  private final LocalLease hold;

  /** For the client itself. */
  public LeaseHandle(LocalLease hold) {
    this.hold = hold;
  }

  public String namespace() {
    return hold.lease().getNamespace();
  }

  public String key() {
    return hold.lease().getKey();
  }

  /** Higher than that of every earlier grant in the namespace. */
  public long token() {
    return hold.lease().getToken();
  }

  public LeaseState state() {
    return hold.state();
  }

  /** Time until the lease is LOST if no renewal succeeds; zero if it is, or was given back. */
  public Duration remaining() {
    return hold.remaining();
  }

  /**
   * The token, for the write that follows.
   *
   * @throws LeaseLostException if it is not held any more, or if the machine has slept past the
   *     deadline and the server has not confirmed the lease since; in that case it may be held
   *     again later
   */
  public long requireHeld() {
    LeaseState state = state();
    if (state == LeaseState.LOST || state == LeaseState.RELEASED || hold.isExpiredInSleep()) {
      throw new LeaseLostException(key(), token(), state);
    }
    return token();
  }

  /**
   * Each time the lease gets into jeopardy; at once if it is. Not again while the last call has not
   * returned. May run beside other callbacks.
   */
  public void onJeopardy(Runnable task) {
    hold.on(LeaseState.JEOPARDY, task);
  }

  /**
   * Once, when the lease is lost; at once if it is. Not when it is closed, but when the client is.
   */
  public void onLost(Runnable task) {
    hold.on(LeaseState.LOST, task);
  }

  /**
   * Once, when an operator wants the key back: close it within the grace, or it will be LOST.
   * Learnt with a heartbeat, so a grace shorter than a third of the session's ttl may be over
   * before.
   */
  public void onReleaseAsked(Consumer<ReleaseAsk> task) {
    hold.onAsked(task);
  }

  /** Gives the key back. If the server does not answer, the client continues by itself. */
  @Override
  public void close() {
    hold.close();
  }

  @Override
  public String toString() {
    return key() + " with token " + token() + ", " + state();
  }
}
