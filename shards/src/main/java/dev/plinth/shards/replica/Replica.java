package dev.plinth.shards.replica;

import dev.plinth.machine.Machine;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * This node's live copy of values that other nodes own, by key.
 *
 * <p>The first use of a key opens a watch at the key's owner; from then on {@link #get} is a lookup
 * and a volatile read. A watch that breaks, or sends nothing for three progress intervals, is
 * opened again after its last message. Meanwhile the last copy stays: it may be late, never torn,
 * and {@link #status} says so. Who needs at least some version waits for it with {@link #await}.
 *
 * <p>There are never more keys than {@link ReplicaOptions#maxKeys}, up to one for each thread that
 * adds one right now: those known to have no value are dropped first, then the least recently used.
 * So are those that nobody uses for a while. Values are bounded in bytes in the same way, if {@link
 * ReplicaMemory} says so.
 */
public final class Replica<V> implements AutoCloseable {
  /**
   * What all keys share.
   *
   * @param version of a value; rises with each change of a key
   * @param thread runs watches and waits; has one thread
   */
  record Shared<V>(
      ReplicaOptions options,
      ReplicaSource<V> source,
      ToLongFunction<V> version,
      Machine machine,
      ScheduledExecutorService thread,
      ReplicaBytes<V> bytes) {}

  /** Bytes of all keys together. */
  record ReplicaBytes<V>(
      ReplicaMemory<V> memory, AtomicLong used, Consumer<WatchedKey<V>> onArrival) {}

  /** Read once: it must not change while sorted. */
  private record Use<V>(WatchedKey<V> key, boolean absent, int round) {
    private static final Comparator<Use<?>> LEAST_NEEDED_FIRST =
        Comparator.<Use<?>, Boolean>comparing(use -> !use.absent).thenComparing(Use::round);

    static <V> Use<V> of(WatchedKey<V> key) {
      ReplicaCopy<V> copy = key.copy();
      return new Use<>(key, copy.known() && copy.value().isEmpty(), key.lastUse());
    }
  }

  private final Shared<V> shared;
  private final ReplicaBytes<V> bytes;
  private final Map<String, WatchedKey<V>> keys = new ConcurrentHashMap<>();
  // Time in coarse steps: a use costs no look at a clock, and mostly no write.
  private volatile int round;
  private int addedInRound;
  private long bytesInRound;
  private int lastSweep;
  private int sweepBefore;
  private volatile boolean closed;

  /**
   * @param version of a value: at least 1, and higher after each change
   * @param machine whose clock and chance are used
   * @param thread one thread, on which {@code source} calls its listeners
   */
  public Replica(
      ReplicaOptions options,
      ReplicaSource<V> source,
      ToLongFunction<V> version,
      Machine machine,
      ScheduledExecutorService thread) {
    this(options, ReplicaMemory.unbounded(), source, version, machine, thread);
  }

  /** Like the other, bounded in bytes too. */
  public Replica(
      ReplicaOptions options,
      ReplicaMemory<V> memory,
      ReplicaSource<V> source,
      ToLongFunction<V> version,
      Machine machine,
      ScheduledExecutorService thread) {
    this.bytes = new ReplicaBytes<>(memory, new AtomicLong(), this::arrived);
    this.shared = new Shared<>(options, source, version, machine, thread, bytes);
    every(options.idle().dividedBy(2), this::dropIdle);
    every(options.silence().dividedBy(2), () -> keys.values().forEach(WatchedKey::reopenIfSilent));
  }

  private void every(Duration interval, Runnable task) {
    long nanos = Math.max(1, interval.toNanos());
    shared.thread().scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  /** What this node knows of a key now. */
  public ReplicaCopy<V> get(String key) {
    return watched(key).copy();
  }

  /**
   * Waits for a copy that {@link ReplicaCopy#isAtLeast} a version. Fails with a {@link
   * ReplicaBehindException} if there is none within {@link ReplicaOptions#maxWait}.
   */
  public CompletableFuture<ReplicaCopy<V>> await(String key, long minVersion) {
    CompletableFuture<ReplicaCopy<V>> answer = new CompletableFuture<>();
    WatchedKey<V> watched = watched(key);
    if (closed) {
      watched.fail(answer);
    } else {
      // It may have been dropped by then; another has taken its place, if so.
      shared.thread().execute(() -> watched(key).join(minVersion, answer));
    }
    return answer;
  }

  private WatchedKey<V> watched(String key) {
    WatchedKey<V> known = keys.get(key);
    if (known != null) {
      known.use(round);
      return known;
    }
    WatchedKey<V> added = new WatchedKey<>(key, shared, round);
    if (closed) {
      return added;
    }
    known = keys.putIfAbsent(key, added);
    if (known != null) {
      return known;
    }
    if (closed) {
      drop(added); // it came too late for close to see it
      return added;
    }
    shared.thread().execute(added::open);
    makeRoom(added);
    return added;
  }

  private synchronized void makeRoom(WatchedKey<V> added) {
    int maxKeys = shared.options().maxKeys();
    if (++addedInRound > maxKeys / 10) { // uses of one round are equal, so it must not be long
      addedInRound = 0;
      round++;
    }
    int surplus = keys.size() - maxKeys;
    if (surplus <= 0) {
      return;
    }
    // Some more than that, so as not to sort each time, but few of those in use.
    int inUseSince = round - 1;
    List<Use<V>> uses =
        keys.values().stream()
            .filter(key -> key != added)
            .map(Use::of)
            .sorted(Use.LEAST_NEEDED_FIRST)
            .limit(surplus + maxKeys / 10)
            .toList();
    int atLeast = surplus + maxKeys / 100;
    for (int i = 0; i < uses.size(); i++) {
      Use<V> use = uses.get(i);
      if (i < atLeast || use.absent || use.round < inUseSince) {
        drop(use.key);
      }
    }
  }

  /** The value that has just arrived stays: somebody waits for it. */
  private synchronized void arrived(WatchedKey<V> arrived) {
    long max = bytes.memory.maxBytes();
    bytesInRound += arrived.bytes();
    if (bytesInRound > max / 10) {
      bytesInRound = 0;
      round++;
    }
    if (bytes.used.get() <= max) {
      return;
    }
    List<Use<V>> uses =
        keys.values().stream()
            .filter(key -> key != arrived && key.bytes() > 0)
            .map(Use::of)
            .sorted(Use.LEAST_NEEDED_FIRST)
            .toList();
    for (Use<V> use : uses) {
      if (bytes.used.get() <= max - max / 10) { // some more, so as not to sort each time
        return;
      }
      drop(use.key);
    }
  }

  private synchronized void dropIdle() {
    keys.values().stream().filter(key -> key.lastUse() < sweepBefore).forEach(this::drop);
    sweepBefore = lastSweep;
    lastSweep = ++round;
  }

  private void drop(WatchedKey<V> watched) {
    if (keys.remove(watched.key(), watched)) {
      watched.drop();
    }
  }

  public ReplicaStatus status(String key) {
    WatchedKey<V> watched = keys.get(key);
    return watched == null
        ? new ReplicaStatus(ReplicaStatus.State.UNKNOWN, Duration.ZERO)
        : watched.status();
  }

  /** Bytes of all values, by estimate. */
  public long bytes() {
    return bytes.used.get();
  }

  /** Keys that are watched. */
  public int size() {
    return keys.size();
  }

  /** How long the watch that is broken longest has been so; zero if none is. */
  public Duration staleness() {
    return Duration.ofNanos(
        keys.values().stream().mapToLong(WatchedKey::brokenNanos).max().orElse(0));
  }

  /** Ends all watches, on the thread; whoever waits is told. */
  @Override
  public void close() {
    closed = true;
    keys.values().forEach(this::drop);
  }
}
