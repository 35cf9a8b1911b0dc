package dev.plinth.client.internal.session;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.client.internal.LocalDeadline;
import dev.plinth.client.internal.OrderedSet;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.ReleaseAsk;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A session of leases at the server, kept alive until it is ended or lost. Its state is that of all
 * leases under it.
 */
public final class ClientSession implements Heartbeat.Session<HeartbeatResponse> {
  private static final Logger log = System.getLogger("plinth.client");

  /** Depends on a session. Told on any thread, and never twice at a time by a heartbeat. */
  public interface SessionListener {
    void sessionChanged();

    /** An operator wants something back, as of a heartbeat sent then. */
    default void onReleaseAsked(ReleaseAsk ask, ClockReading sentAt) {}
  }

  private final String id;
  private final String secret;
  private final HeartbeatSender heartbeatSender;
  private final ClientEnvironment environment;
  private final Heartbeat<HeartbeatResponse> heartbeat;
  private final OrderedSet<SessionListener> listeners = new OrderedSet<>();

  public ClientSession(
      OpenSessionResponse opened,
      LocalDeadline deadline,
      HeartbeatSender heartbeatSender,
      ClientEnvironment environment) {
    this.id = opened.getSessionId();
    this.secret = opened.getResumeSecret();
    this.heartbeatSender = heartbeatSender;
    this.environment = environment;
    this.heartbeat = new Heartbeat<>(this, deadline, environment);
  }

  public void start() {
    heartbeat.start();
  }

  public String id() {
    return id;
  }

  /** Lets another process resume it. */
  public String secret() {
    return secret;
  }

  public ClientEnvironment environment() {
    return environment;
  }

  public LeaseState state() {
    return heartbeat.state();
  }

  /** Slept past its deadline, and no answer has come since. */
  public boolean isExpiredInSleep() {
    return heartbeat.isExpiredInSleep();
  }

  public boolean isLost() {
    return state() == LeaseState.LOST;
  }

  public Duration remaining() {
    return heartbeat.remaining();
  }

  /** See {@link Heartbeat#end}. */
  public void end() {
    heartbeat.end();
  }

  public void attach(SessionListener listener) {
    listeners.add(listener);
  }

  public void detach(SessionListener listener) {
    listeners.remove(listener);
  }

  /** See {@link Heartbeat#sendNow}. */
  public void sendHeartbeatNow() {
    heartbeat.sendNow();
  }

  @Override
  public CompletableFuture<HeartbeatResponse> send(Duration deadline) {
    return heartbeatSender.send(deadline);
  }

  @Override
  public Duration ttl(HeartbeatResponse answer) {
    return ClientWire.duration(answer.getTtl());
  }

  @Override
  public boolean isEndedBy(CallFailedException failure) {
    return failure.reason() == ErrorReason.ERROR_REASON_SESSION_EXPIRED;
  }

  @Override
  public void onAnswer(HeartbeatResponse answer, ClockReading sentAt) {
    answer.getReleaseAsksList().forEach(ask -> eachListener(d -> d.onReleaseAsked(ask, sentAt)));
  }

  @Override
  public void onStateChange(LeaseState state) {
    eachListener(SessionListener::sessionChanged);
  }

  /**
   * One that fails keeps neither the others from being told nor the session from its heartbeats.
   */
  private void eachListener(Consumer<SessionListener> tell) {
    for (SessionListener listener : listeners.copy()) {
      try {
        tell.accept(listener);
      } catch (Throwable e) {
        log.log(Level.ERROR, "session " + id() + ": a listener failed", e);
      }
    }
  }
}
