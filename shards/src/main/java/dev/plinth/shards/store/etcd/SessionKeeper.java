package dev.plinth.shards.store.etcd;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a session alive, and gets a new one when it is lost. All on the scheduler's thread and the
 * monotonic clock; jetcd's own keepalive goes by the wall clock and stops when that is set back.
 *
 * <p>A session that may have expired is given up even if etcd would still renew it: before 3.4.38,
 * 3.5.23 and 3.6.5 it may say yes for a lease that it is about to revoke.
 */
final class SessionKeeper {
  /** The calls that a keeper makes. */
  interface Leases {
    record Granted(long lease, Duration ttl) {}

    CompletableFuture<Granted> grant(Duration ttl);

    CompletableFuture<Duration> keepAlive(long lease);

    CompletableFuture<?> revoke(long lease);
  }

  /** Told on the scheduler's thread. */
  interface Listener {
    void granted(NodeSession nodeSession);

    void lost(NodeSession nodeSession, String why);
  }

  private static final Logger log = System.getLogger("plinth.etcd");
  private static final long RETRY_MILLIS = 100;
  private static final long MAX_RETRY_MILLIS = 1_000;
  // A pause of the process or of etcd that lasts three quarters of the session costs nothing: what
  // is left of it has room for the pause before the last renewal and for the next one's answer.
  private static final int BEATS = 10;
  private static final Duration MAX_PAUSE = Duration.ofSeconds(1);

  private final Leases leases;
  private final EtcdSettings settings;
  private final EtcdStoreContext etcdStoreContext;
  private final ScheduledExecutorService scheduler;
  private final Listener listener;
  private final CompletableFuture<Void> first = new CompletableFuture<>();
  private volatile NodeSession nodeSession;
  private volatile Throwable lastFailure;
  private volatile boolean stopped;

  SessionKeeper(Leases leases, EtcdStoreContext etcdStoreContext, Listener listener) {
    this.leases = leases;
    this.settings = etcdStoreContext.settings();
    this.etcdStoreContext = etcdStoreContext;
    this.scheduler = etcdStoreContext.scheduler();
    this.listener = listener;
  }

  /** Completes with the first session. */
  CompletableFuture<Void> start() {
    scheduler.execute(() -> grant(RETRY_MILLIS));
    return first;
  }

  /** The last session, over or not; null before the first. */
  NodeSession session() {
    return nodeSession;
  }

  /** Why the last request failed; null if it did not. */
  Throwable lastFailure() {
    return lastFailure;
  }

  /** From here on nothing is renewed or granted. */
  void stop() {
    stopped = true;
  }

  /** Asks etcd about the session now: something said that it is gone. */
  void doubt(NodeSession doubtful) {
    scheduler.execute(() -> renew(doubtful));
  }

  /** The clocks say that the machine slept: nothing is sure before etcd has answered again. */
  void slept(NodeSession suspect) {
    if (suspect.suspect()) {
      etcdStoreContext.metrics().suspended();
      log.log(
          Level.WARNING,
          "the monotonic clock stood still, or the wall clock was set: no authority until etcd"
              + " answers");
      doubt(suspect);
    }
  }

  private void grant(long pauseMillis) {
    if (stopped) {
      return;
    }
    ClockReading sent = etcdStoreContext.now();
    leases
        .grant(settings.sessionTtl())
        .whenCompleteAsync(
            (granted, failure) -> {
              lastFailure = failure;
              if (failure != null) {
                long longer = Math.min(pauseMillis * 2, MAX_RETRY_MILLIS);
                scheduler.schedule(() -> grant(longer), pauseMillis, TimeUnit.MILLISECONDS);
              } else if (!stopped) {
                granted(sent, granted);
              }
            },
            scheduler);
  }

  private void granted(ClockReading sent, Leases.Granted granted) {
    nodeSession = new NodeSession(granted.lease(), settings.authorityMargin(), sent, granted.ttl());
    listener.granted(nodeSession);
    first.complete(null);
    renewEvery(nodeSession, Math.min(granted.ttl().toNanos() / BEATS, MAX_PAUSE.toNanos()));
  }

  /**
   * One request after the other, whether or not those before are answered: when an etcd that hung
   * goes on, there is one on its way that was sent a moment ago.
   */
  private void renewEvery(NodeSession renewed, long pause) {
    if (stopped || renewed.isExpired()) {
      return;
    }
    scheduler.schedule(
        () -> {
          renew(renewed);
          renewEvery(renewed, pause);
        },
        pause,
        TimeUnit.NANOSECONDS);
  }

  /** Gives the session up though etcd may know it: what it hangs on is not what it was. */
  void giveUp(NodeSession untrusted, String why) {
    scheduler.execute(
        () -> {
          if (!stopped && !untrusted.isExpired()) {
            lose(untrusted, why);
          }
        });
  }

  private void renew(NodeSession renewed) {
    if (stopped || renewed.isExpired()) {
      return;
    }
    ClockReading sent = etcdStoreContext.now();
    leases
        .keepAlive(renewed.lease())
        .whenCompleteAsync(
            (ttl, failure) -> {
              if (!stopped && !renewed.isExpired()) {
                renewed(renewed, sent, ttl, failure);
              }
            },
            scheduler);
  }

  private long now() {
    return etcdStoreContext.nanos().getAsLong();
  }

  private void renewed(NodeSession renewed, ClockReading sent, Duration ttl, Throwable failure) {
    lastFailure = failure;
    if (failure != null && EtcdFailure.of(failure) == EtcdFailure.LEASE_GONE) {
      lose(renewed, "its lease is gone");
    } else if (renewed.mayHaveExpired(now())) {
      lose(
          renewed,
          "no answer in time" + (failure == null ? "" : ": " + EtcdFailure.reason(failure)));
    } else if (failure == null) {
      renewed.renewed(sent, ttl);
    }
  }

  private void lose(NodeSession lost, String why) {
    lost.end(now());
    listener.lost(lost, why);
    // Frees its shards at once where the lease still lives.
    leases.revoke(lost.lease());
    grant(RETRY_MILLIS);
  }
}
