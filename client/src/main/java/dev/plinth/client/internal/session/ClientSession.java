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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A session at the server, kept alive until it is ended or lost. Its state is that of all leases
 * under it. The loss is told by the client's own clock; no call has to succeed or fail for it.
 */
public final class ClientSession {
  private static final Logger log = System.getLogger("plinth.client");
  private static final Duration MAX_HEARTBEAT = Duration.ofSeconds(2);

  /** Depends on a session. Told on any thread, and never twice at a time by a heartbeat. */
  public interface SessionListener {
    void sessionChanged();

    /** An operator wants something back, as of a heartbeat sent then. */
    default void onReleaseAsked(ReleaseAsk ask, ClockReading sentAt) {}
  }

  private final String id;
  private final String secret;
  private final LocalDeadline deadline;
  private final HeartbeatSender heartbeatSender;
  private final ClientEnvironment environment;
  private final OrderedSet<SessionListener> listeners = new OrderedSet<>();
  private final AtomicReference<LeaseState> announced = new AtomicReference<>(LeaseState.SAFE);
  private final AtomicBoolean inFlight = new AtomicBoolean();
  // Of the last heartbeat sent; only its answer leads to the next one. On the event loop alone.
  private int generation;
  private int failures;

  public ClientSession(
      OpenSessionResponse opened,
      LocalDeadline deadline,
      HeartbeatSender heartbeatSender,
      ClientEnvironment environment) {
    this.id = opened.getSessionId();
    this.secret = opened.getResumeSecret();
    this.deadline = deadline;
    this.heartbeatSender = heartbeatSender;
    this.environment = environment;
  }

  public void start() {
    environment.loop().execute(this::watch);
    environment.loop().execute(() -> scheduleHeartbeat(deadline.interval()));
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
    ClockReading now = environment.now();
    LeaseState state = deadline.state(now);
    if (state != LeaseState.LOST && deadline.wasSuspended(now)) {
      sendHeartbeatNow();
    }
    return state;
  }

  /** Slept past its deadline, and no answer has come since. */
  public boolean isExpiredInSleep() {
    return deadline.isExpiredInSleep(environment.now());
  }

  public boolean isLost() {
    return state() == LeaseState.LOST;
  }

  public Duration remaining() {
    return deadline.remaining(environment.now());
  }

  /**
   * No heartbeat follows, and holders are told: here first, so that they stop before the server
   * acts.
   */
  public void end() {
    deadline.end();
    announce();
  }

  public void attach(SessionListener listener) {
    listeners.add(listener);
  }

  public void detach(SessionListener listener) {
    listeners.remove(listener);
  }

  /** Asks the server now, not at the next interval, unless its answer is awaited already. */
  public void sendHeartbeatNow() {
    if (inFlight.compareAndSet(false, true)) {
      environment.loop().execute(this::sendHeartbeat);
    }
  }

  private void scheduleHeartbeat(Duration delay) {
    int current = generation;
    environment
        .loop()
        .after(
            delay,
            () -> {
              if (generation == current) {
                sendHeartbeat();
              }
            });
  }

  private void sendHeartbeat() {
    inFlight.set(true);
    if (announce() == LeaseState.LOST) {
      return;
    }
    int current = ++generation;
    ClockReading sentAt = environment.now();
    heartbeatSender
        .send(ClientWire.shorter(MAX_HEARTBEAT, deadline.interval()))
        .whenComplete(
            (answer, thrown) ->
                environment.loop().execute(() -> answered(current, sentAt, answer, thrown)));
  }

  private void answered(int of, ClockReading sentAt, HeartbeatResponse answer, Throwable thrown) {
    inFlight.set(false);
    // First of all: whatever goes wrong in telling of this answer, there is a next heartbeat.
    if (of == generation) {
      scheduleHeartbeat(thrown == null ? restOfTheInterval(sentAt, answer) : pause());
    }
    if (thrown == null) {
      renewed(sentAt, answer);
    } else if (isExpired(thrown)) {
      deadline.end();
    } else {
      deadline.missed();
    }
    announce();
  }

  private void renewed(ClockReading sentAt, HeartbeatResponse answer) {
    ClockReading now = environment.now();
    failures = 0;
    Duration slack = deadline.remaining(now);
    deadline.renewed(sentAt, ClientWire.duration(answer.getTtl()), now);
    environment.events().renewed(slack);
    answer.getReleaseAsksList().forEach(ask -> eachListener(d -> d.onReleaseAsked(ask, sentAt)));
  }

  private Duration restOfTheInterval(ClockReading sentAt, HeartbeatResponse answer) {
    return LocalDeadline.interval(ClientWire.duration(answer.getTtl()))
        .minusNanos(environment.now().nanos() - sentAt.nanos());
  }

  private Duration pause() {
    return environment.retries().backoff(failures++, deadline.interval());
  }

  private static boolean isExpired(Throwable thrown) {
    return thrown instanceof CallFailedException failure
        && failure.reason() == ErrorReason.ERROR_REASON_SESSION_EXPIRED;
  }

  private void watch() {
    // What was told decides, not a second look at the clock: a loss between the two would be told
    // by nobody.
    if (announce() != LeaseState.LOST) {
      environment.loop().after(deadline.untilNextEdge(environment.now()), this::watch);
    }
  }

  private LeaseState announce() {
    LeaseState state = state();
    if (announced.getAndSet(state) != state) {
      eachListener(SessionListener::sessionChanged);
    }
    return state;
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
