package dev.plinth.client.internal.session;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.client.internal.LocalDeadline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Keeps one session alive: sends its heartbeats, one at a time, and tells of its state. The loss is
 * told by the client's own clock; no call has to succeed or fail for it. Whatever a listener does,
 * there is a next heartbeat. None is sent once {@link #end} has returned.
 *
 * @param <A> the answer to a heartbeat
 */
public final class Heartbeat<A> {
  private static final Duration MAX_HEARTBEAT = Duration.ofSeconds(2);

  /** What a heartbeat is of. Nothing here may block. */
  public interface Session<A> {
    /** Sends one sign of life. */
    CompletableFuture<A> send(Duration deadline);

    /** The ttl that counts anew. */
    Duration ttl(A answer);

    /** Whether the server says that the session is no more. */
    boolean isEndedBy(CallFailedException failure);

    /**
     * Whether the server may still have it when its time is over here. Then heartbeats go on, and
     * an answer brings it back.
     */
    default boolean isRevivable() {
      return false;
    }

    /** On the event loop, after the deadline has moved. */
    default void onAnswer(A answer, ClockReading sentAt) {}

    /** On any thread; its state is another one than it was told last. */
    void onStateChange(LeaseState state);
  }

  private final Session<A> session;
  private final ClientEnvironment environment;
  private final AtomicReference<LeaseState> announced = new AtomicReference<>(LeaseState.SAFE);
  private final AtomicBoolean inFlight = new AtomicBoolean();
  private final Object sending = new Object();
  private volatile LocalDeadline deadline;
  // Under the lock of sending, so that nothing leaves after it was set.
  private boolean ended;
  // Of the last heartbeat sent; only its answer leads to the next one. On the event loop alone.
  private int generation;
  private int failures;
  private int revivals;

  public Heartbeat(Session<A> session, LocalDeadline deadline, ClientEnvironment environment) {
    this.session = session;
    this.deadline = deadline;
    this.environment = environment;
  }

  public void start() {
    environment.loop().execute(() -> watch(revivals));
    environment.loop().execute(() -> schedule(deadline.interval()));
  }

  public LeaseState state() {
    ClockReading now = environment.now();
    LeaseState state = deadline.state(now);
    if (state != LeaseState.LOST && deadline.wasSuspended(now)) {
      sendNow();
    }
    return state;
  }

  /** Slept past its deadline, and no answer has come since. */
  public boolean isExpiredInSleep() {
    return deadline.isExpiredInSleep(environment.now());
  }

  public Duration remaining() {
    return deadline.remaining(environment.now());
  }

  /**
   * No heartbeat follows, and listeners are told: here first, so that they stop before the server
   * acts.
   */
  public void end() {
    synchronized (sending) {
      ended = true;
    }
    deadline.end();
    announce();
  }

  /** Asks the server now, not at the next interval, unless its answer is awaited already. */
  public void sendNow() {
    if (inFlight.compareAndSet(false, true)) {
      environment.loop().execute(this::send);
    }
  }

  private void schedule(Duration delay) {
    int current = generation;
    environment
        .loop()
        .after(
            delay,
            () -> {
              if (generation == current) {
                send();
              }
            });
  }

  private void send() {
    inFlight.set(true);
    if (announce() == LeaseState.LOST && !session.isRevivable()) {
      return;
    }
    ClockReading sentAt = environment.now();
    CompletableFuture<A> answer;
    synchronized (sending) {
      if (ended) {
        return;
      }
      answer = session.send(ClientWire.shorter(MAX_HEARTBEAT, deadline.interval()));
    }
    int current = ++generation;
    answer.whenComplete(
        (value, thrown) ->
            environment.loop().execute(() -> answered(current, sentAt, value, thrown)));
  }

  private void answered(int of, ClockReading sentAt, A answer, Throwable thrown) {
    inFlight.set(false);
    // First of all: whatever goes wrong in telling of this answer, there is a next heartbeat.
    if (of == generation) {
      schedule(thrown == null ? restOfTheInterval(sentAt, answer) : pause());
    }
    if (thrown == null) {
      renewed(sentAt, answer);
    } else if (thrown instanceof CallFailedException failure && session.isEndedBy(failure)) {
      end();
    } else {
      deadline.missed();
    }
    announce();
  }

  private void renewed(ClockReading sentAt, A answer) {
    ClockReading now = environment.now();
    failures = 0;
    environment.events().renewed(deadline.remaining(now));
    deadline.renewed(sentAt, session.ttl(answer), now);
    boolean revived = false;
    if (deadline.state(now) == LeaseState.LOST) {
      announce(); // the loss is told, even if nobody looked at the clock before this answer
      revived = revive(sentAt, answer);
    }
    // Before it is told that the session is back: the answer says what was lost with it.
    session.onAnswer(answer, sentAt);
    if (revived) {
      watch(++revivals);
    }
  }

  /** Counted from before the send, so an answer that took too long revives nothing. */
  private boolean revive(ClockReading sentAt, A answer) {
    synchronized (sending) {
      if (ended || !session.isRevivable()) {
        return false;
      }
      deadline = new LocalDeadline(sentAt, session.ttl(answer));
      return true;
    }
  }

  private Duration restOfTheInterval(ClockReading sentAt, A answer) {
    return LocalDeadline.interval(session.ttl(answer))
        .minusNanos(environment.now().nanos() - sentAt.nanos());
  }

  private Duration pause() {
    return environment.retries().backoff(failures++, deadline.interval());
  }

  private void watch(int life) {
    // What was told decides, not a second look at the clock: a loss between the two would be told
    // by nobody.
    if (life == revivals && announce() != LeaseState.LOST) {
      environment.loop().after(deadline.untilNextEdge(environment.now()), () -> watch(life));
    }
  }

  private LeaseState announce() {
    LeaseState state = state();
    if (announced.getAndSet(state) != state) {
      session.onStateChange(state);
    }
    return state;
  }
}
