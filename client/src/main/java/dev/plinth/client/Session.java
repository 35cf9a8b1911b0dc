package dev.plinth.client;

import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.ReleaseAsk;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A session at the server, kept alive until it is ended or lost. Its state is that of all leases
 * that hang on it. The loss is told by the client's own clock; no call has to succeed or fail for
 * it.
 */
final class Session {
  private static final Logger log = System.getLogger("plinth.client");
  private static final Duration LONGEST_BEAT = Duration.ofSeconds(2);

  /** One that hangs on a session. Told on any thread, and never twice at a time by a beat. */
  interface Dependant {
    void sessionChanged();

    /** An operator wants something back, as of a beat sent then. */
    default void asked(ReleaseAsk ask, Moment sentAt) {}
  }

  private final SessionKey key;
  private final Tenure tenure;
  private final Heart heart;
  private final Rhythm rhythm;
  private final Set<Dependant> dependants = ConcurrentHashMap.newKeySet();
  private final AtomicReference<LeaseState> announced = new AtomicReference<>(LeaseState.SAFE);
  private final AtomicBoolean beating = new AtomicBoolean();
  // Of the last beat sent; only its answer leads to the next one. On the own thread alone.
  private int turn;
  private int failures;

  Session(SessionKey key, Tenure tenure, Heart heart, Rhythm rhythm) {
    this.key = key;
    this.tenure = tenure;
    this.heart = heart;
    this.rhythm = rhythm;
  }

  void start() {
    rhythm.thread().execute(this::watch);
    rhythm.thread().execute(() -> beatAfter(tenure.interval()));
  }

  SessionKey key() {
    return key;
  }

  String id() {
    return key.id();
  }

  Rhythm rhythm() {
    return rhythm;
  }

  LeaseState state() {
    Moment now = rhythm.now();
    LeaseState state = tenure.state(now);
    if (state != LeaseState.LOST && tenure.stoodStill(now)) {
      beatSoon();
    }
    return state;
  }

  /** Slept past its deadline, and no answer has come since. */
  boolean isOverslept() {
    return tenure.isOverslept(rhythm.now());
  }

  boolean isLost() {
    return state() == LeaseState.LOST;
  }

  Duration remaining() {
    return tenure.remaining(rhythm.now());
  }

  /**
   * No beat follows, and holders are told: here first, so that they stop before the server acts.
   */
  void end() {
    tenure.end();
    announce();
  }

  void attach(Dependant dependant) {
    dependants.add(dependant);
  }

  void detach(Dependant dependant) {
    dependants.remove(dependant);
  }

  /** Asks the server now, not at the next turn, unless its answer is awaited already. */
  void beatSoon() {
    if (beating.compareAndSet(false, true)) {
      rhythm.thread().execute(this::beat);
    }
  }

  private void beatAfter(Duration delay) {
    int current = turn;
    rhythm
        .thread()
        .after(
            delay,
            () -> {
              if (turn == current) {
                beat();
              }
            });
  }

  private void beat() {
    beating.set(true);
    if (announce() == LeaseState.LOST) {
      return;
    }
    int current = ++turn;
    Moment sentAt = rhythm.now();
    heart
        .beat(Wire.shorter(LONGEST_BEAT, tenure.interval()))
        .whenComplete(
            (answer, thrown) ->
                rhythm.thread().execute(() -> answered(current, sentAt, answer, thrown)));
  }

  private void answered(int of, Moment sentAt, HeartbeatResponse answer, Throwable thrown) {
    beating.set(false);
    // First of all: whatever goes wrong in telling of this answer, there is a next beat.
    if (of == turn) {
      beatAfter(thrown == null ? restOfTheInterval(sentAt, answer) : pause());
    }
    if (thrown == null) {
      renewed(sentAt, answer);
    } else if (isExpired(thrown)) {
      tenure.end();
    } else {
      tenure.missed();
    }
    announce();
  }

  private void renewed(Moment sentAt, HeartbeatResponse answer) {
    Moment now = rhythm.now();
    failures = 0;
    Duration slack = tenure.remaining(now);
    tenure.renewed(sentAt, Wire.duration(answer.getTtl()), now);
    rhythm.events().renewed(slack);
    answer.getReleaseAsksList().forEach(ask -> eachDependant(d -> d.asked(ask, sentAt)));
  }

  private Duration restOfTheInterval(Moment sentAt, HeartbeatResponse answer) {
    return Tenure.interval(Wire.duration(answer.getTtl()))
        .minusNanos(rhythm.now().nanos() - sentAt.nanos());
  }

  private Duration pause() {
    return rhythm.rule().jittered(failures++, tenure.interval());
  }

  private static boolean isExpired(Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    return ErrorDetails.SESSION_EXPIRED.equals(ErrorDetails.reason(cause));
  }

  private void watch() {
    // What was told decides, not a second look at the clock: a loss between the two would be told
    // by nobody.
    if (announce() != LeaseState.LOST) {
      rhythm.thread().after(tenure.untilNextEdge(rhythm.now()), this::watch);
    }
  }

  private LeaseState announce() {
    LeaseState state = state();
    if (announced.getAndSet(state) != state) {
      eachDependant(Dependant::sessionChanged);
    }
    return state;
  }

  /** One that fails keeps neither the others from being told nor the session from its beats. */
  private void eachDependant(Consumer<Dependant> tell) {
    for (Dependant dependant : dependants) {
      try {
        tell.accept(dependant);
      } catch (Throwable e) {
        log.log(Level.ERROR, "session " + id() + ": a dependant failed", e);
      }
    }
  }
}
