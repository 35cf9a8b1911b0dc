package dev.plinth.shards;

import dev.plinth.machine.Machine;
import dev.plinth.shards.store.ShardStore.ClusterSnapshot;
import dev.plinth.shards.store.ShardStore.Node;
import dev.plinth.shards.store.ShardStore.Owner;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Where the calls for each shard go: a look at memory, never at the store. A call for a shard that
 * moves waits here until it has an owner.
 */
public final class ShardRouter implements AutoCloseable {
  private static final long LOOK_MILLIS = 25;
  // An owner that refused may serve again without a change of owner: after a moment without
  // authority, or a load of its rows.
  private static final long SAME_OWNER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** What was seen last, and when on the monotonic clock. */
  public record Seen(ClusterSnapshot clusterSnapshot, long nanos) {}

  /** A call that waits for its shard; on threads of the router's. */
  @FunctionalInterface
  public interface WaitingCall {
    /** It keeps or ends something, so that it finds room when others do not. */
    default boolean isUrgent() {
      return false;
    }

    /** Nobody waits for its answer any more, so that it need not wait either. */
    default boolean isGone() {
      return false;
    }

    void goOn(Route route);
  }

  private record Waiting(int shard, Route avoid, long since, long until, WaitingCall call) {}

  private final Shards shards;
  private final ShardMetrics metrics;
  private final long maxWaiting;
  private final AtomicReferenceArray<Route> owners;
  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiters = new AtomicInteger();
  private final AtomicBoolean looking = new AtomicBoolean();
  private final LongSupplier nanos;
  private final ScheduledExecutorService thread;
  // A node that leaves takes its announcement back, and still answers for what it has not given.
  private final Map<String, String> addresses = new LinkedHashMap<>();
  private volatile Seen seen;
  private volatile Consumer<Set<String>> peers = addresses -> {};

  ShardRouter(Shards shards, ShardMetrics metrics, Machine machine) {
    this.shards = shards;
    this.metrics = metrics;
    this.maxWaiting = shards.settings().queue();
    this.owners = new AtomicReferenceArray<>(shards.count());
    this.nanos = machine.nanos();
    this.thread = machine.scheduler("plinth-routes");
    this.seen = new Seen(new ClusterSnapshot(List.of(), List.of()), nanos.getAsLong());
  }

  public Route of(int shard) {
    return shards
        .routeHere(shard)
        .orElseGet(
            () -> {
              Route owner = owners.get(shard);
              return owner == null ? Route.NOWHERE : owner;
            });
  }

  /** The store's layout as this node saw it last. */
  public Seen seen() {
    return seen;
  }

  /**
   * Goes on when the shard has an owner other than the one to avoid, or the same again after a
   * moment, and at the latest after {@code atMost}, or when its caller is gone; then with whatever
   * is known, most often NOWHERE. On a thread of its own.
   *
   * @return false if too many wait already
   */
  public boolean await(int shard, Route avoid, Duration atMost, WaitingCall call) {
    long room = call.isUrgent() ? maxWaiting * ShardQueueLimit.URGENT_ROOM : maxWaiting;
    if (waiters.incrementAndGet() > room) {
      waiters.decrementAndGet();
      return false;
    }
    long now = nanos.getAsLong();
    waiting.add(new Waiting(shard, avoid, now, now + atMost.toNanos(), call));
    shards.poll();
    pollSoon();
    return true;
  }

  /** From now on told, at each look, the addresses of all nodes that calls may go to. */
  public void onPeers(Consumer<Set<String>> listener) {
    peers = listener;
  }

  /** How a forwarded call ended. */
  public void forwarded(ForwardOutcome result) {
    metrics.forwarded(result);
  }

  boolean isAwaited() {
    return waiters.get() > 0;
  }

  void update(ClusterSnapshot clusterSnapshot) {
    remember(clusterSnapshot);
    Route[] next = new Route[owners.length()];
    for (Owner owner : clusterSnapshot.owners()) {
      next[owner.shard()] = route(owner);
    }
    for (int shard = 0; shard < next.length; shard++) {
      owners.set(shard, next[shard]);
    }
    seen = new Seen(clusterSnapshot, nanos.getAsLong());
    peers.accept(new LinkedHashSet<>(addresses.values()));
    wakeWaiters();
  }

  private void remember(ClusterSnapshot clusterSnapshot) {
    Set<String> live = new HashSet<>();
    clusterSnapshot.owners().forEach(owner -> live.add(owner.node().id()));
    clusterSnapshot.nodes().forEach(node -> live.add(node.id()));
    addresses.keySet().retainAll(live);
    clusterSnapshot.nodes().forEach(node -> addresses.put(node.id(), node.address()));
  }

  private Route route(Owner owner) {
    Node node = owner.node();
    String address = addresses.get(node.id());
    if (node.self()) {
      return Route.COMING;
    }
    return address == null ? Route.NOWHERE : Route.elsewhere(node.name(), address, owner.epoch());
  }

  /** Something changed that calls may wait for. */
  void wakeWaiters() {
    if (isAwaited()) {
      thread.execute(this::release);
    }
  }

  private void pollSoon() {
    if (looking.compareAndSet(false, true)) {
      thread.schedule(
          () -> {
            looking.set(false);
            release();
            if (isAwaited()) {
              pollSoon();
            }
          },
          LOOK_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }

  private void release() {
    long now = nanos.getAsLong();
    waiting.removeIf(waits -> goesOn(waits, now));
  }

  private boolean goesOn(Waiting waits, long now) {
    Route route = of(waits.shard);
    boolean ready =
        (route.location() == Route.Location.LOCAL || route.location() == Route.Location.REMOTE)
            && (route.epoch() != waits.avoid.epoch() || now - waits.since >= SAME_OWNER_NANOS);
    if (!ready && now - waits.until < 0 && !waits.call.isGone()) {
      return false;
    }
    waiters.decrementAndGet();
    metrics.waited(now - waits.since);
    waits.call.goOn(route);
    return true;
  }

  /** Whoever still waits goes on, to be refused. */
  @Override
  public void close() {
    thread.shutdownNow();
    for (Waiting waits = waiting.poll(); waits != null; waits = waiting.poll()) {
      waits.call.goOn(Route.NOWHERE);
    }
  }
}
