package dev.plinth.shards.replica;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * One key of a {@link Replica}: its copy, its watch, and who waits for a version. Fields that are
 * not volatile belong to the replica's thread.
 */
final class WatchedKey<V> {
  private static final Logger log = System.getLogger("plinth.shards");
  private static final long FIRST_BACKOFF_MILLIS = 50;
  private static final long MAX_BACKOFF_MILLIS = 1000;

  private record Waiter<V>(long minVersion, CompletableFuture<ReplicaCopy<V>> answer) {}

  private final String key;
  private final Replica.Shared<V> shared;
  private final Set<Waiter<V>> waiters = new LinkedHashSet<>();
  private Watch watch; // null while none is open
  private String resumeToken = "";
  private long backoffMillis = FIRST_BACKOFF_MILLIS;
  private volatile String problem = "the owner of its shard has not answered";
  private volatile ReplicaCopy<V> copy = ReplicaCopy.unknown();
  private volatile int lastUse;
  private volatile long lastMessage;
  private volatile long brokenSince;
  private volatile boolean broken;
  private volatile boolean dropped;
  private volatile long bytes;

  WatchedKey(String key, Replica.Shared<V> shared, int round) {
    this.key = key;
    this.shared = shared;
    this.lastUse = round;
  }

  String key() {
    return key;
  }

  ReplicaCopy<V> copy() {
    return copy;
  }

  void use(int round) {
    if (lastUse != round) { // most often it is, and then nothing is written
      lastUse = round;
    }
  }

  int lastUse() {
    return lastUse;
  }

  long brokenNanos() {
    return broken ? now() - brokenSince : 0;
  }

  ReplicaStatus status() {
    return copy.known()
        ? new ReplicaStatus(
            broken ? ReplicaStatus.State.STALE : ReplicaStatus.State.LIVE,
            Duration.ofNanos(now() - lastMessage))
        : new ReplicaStatus(ReplicaStatus.State.UNKNOWN, Duration.ZERO);
  }

  private long now() {
    return shared.machine().nanos().getAsLong();
  }

  /** Answers when the copy is of this version, or fails when that takes too long. */
  void join(long minVersion, CompletableFuture<ReplicaCopy<V>> answer) {
    Waiter<V> waiter = new Waiter<>(minVersion, answer);
    if (answered(waiter)) {
      return;
    }
    if (dropped) {
      fail(answer);
      return;
    }
    waiters.add(waiter);
    long maxWait = shared.options().maxWait().toNanos();
    shared.thread().schedule(() -> giveUp(waiter), maxWait, TimeUnit.NANOSECONDS);
  }

  private boolean answered(Waiter<V> waiter) {
    boolean enough = copy.isAtLeast(waiter.minVersion);
    if (enough) {
      waiter.answer.complete(copy);
    }
    return enough;
  }

  private void giveUp(Waiter<V> waiter) {
    if (waiters.remove(waiter)) {
      fail(waiter.answer);
    }
  }

  void fail(CompletableFuture<ReplicaCopy<V>> answer) {
    String reason = broken || !copy.known() ? problem : "watching";
    answer.completeExceptionally(new ReplicaBehindException(copy, reason));
  }

  void open() {
    if (dropped) {
      return;
    }
    Watch opened = new Watch();
    try {
      opened.cancel = shared.source().open(key, resumeToken, opened);
      watch = opened;
    } catch (RuntimeException e) {
      log.log(Level.ERROR, "a watch of " + key + " cannot be opened", e);
      reopenLater(e.getMessage());
    }
  }

  private void reopenLater(String reason) {
    watch = null;
    problem = reason;
    if (!broken) {
      brokenSince = now();
      broken = true;
    }
    long half = backoffMillis / 2;
    long delay = half + shared.machine().random().nextLong(half + 1);
    backoffMillis = Math.min(MAX_BACKOFF_MILLIS, backoffMillis * 2);
    shared.thread().schedule(this::open, delay, TimeUnit.MILLISECONDS);
  }

  /** An owner that hangs sends nothing, not even progress. */
  void reopenIfSilent() {
    Watch silent = watch;
    if (silent != null && now() - silent.lastMessage > shared.options().silence().toNanos()) {
      silent.cancel.run();
      reopenLater("the owner of its shard is silent");
    }
  }

  /** From any thread. */
  void drop() {
    synchronized (this) {
      weigh(0);
      dropped = true;
    }
    shared.thread().execute(this::end);
  }

  /** What has been dropped weighs nothing, whatever still arrives for it. */
  private synchronized void weigh(long now) {
    if (!dropped) {
      shared.bytes().used().addAndGet(now - bytes);
      bytes = now;
    }
  }

  long bytes() {
    return bytes;
  }

  private void show(Optional<V> value) {
    copy =
        new ReplicaCopy<>(
            true, value, value.map(each -> shared.version().applyAsLong(each)).orElse(0L));
    weigh(value.map(each -> shared.bytes().memory().bytes().applyAsLong(each)).orElse(0L));
  }

  private void end() {
    if (watch != null) {
      watch.cancel.run();
      watch = null;
    }
    waiters.forEach(waiter -> fail(waiter.answer));
    waiters.clear();
  }

  /** One watch; what an earlier one still says is not heard. */
  private final class Watch implements ReplicaSource.Listener<V> {
    private Runnable cancel;
    private long lastMessage = now();
    // Between a beginning and the whole snapshot there is nothing to be shown.
    private boolean inSnapshot = resumeToken.isEmpty();
    private Optional<V> next = inSnapshot ? Optional.empty() : copy.value();

    private boolean isCurrent() {
      boolean current = watch == this;
      if (current) {
        lastMessage = now();
        WatchedKey.this.lastMessage = lastMessage;
      }
      return current;
    }

    @Override
    public void onChange(UnaryOperator<Optional<V>> change, String token) {
      if (!isCurrent()) {
        return;
      }
      try {
        next = change.apply(next);
      } catch (RuntimeException e) {
        // Of a later release, perhaps: keep what is known, and take it up again from there.
        log.log(Level.ERROR, "a change of " + key + " cannot be read", e);
        cancel.run();
        reopenLater(e.getMessage());
        return;
      }
      if (!token.isEmpty()) {
        inSnapshot = false;
        show(next);
        caughtUp(token);
        shared.bytes().onArrival().accept(WatchedKey.this);
        waiters.removeIf(WatchedKey.this::answered);
      }
    }

    @Override
    public void onProgress(String token) {
      if (isCurrent() && !inSnapshot) {
        caughtUp(token);
      }
    }

    private void caughtUp(String token) {
      resumeToken = token;
      broken = false;
      backoffMillis = FIRST_BACKOFF_MILLIS;
    }

    @Override
    public void onGap() {
      if (isCurrent()) {
        resumeToken = ""; // whoever resumed from here would never see the snapshot
        inSnapshot = true;
        next = Optional.empty();
      }
    }

    @Override
    public void onEnd(String reason) {
      if (watch == this) {
        reopenLater(reason);
      }
    }
  }
}
