package dev.plinth.shards;

import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.ShardStore.ClusterSnapshot;
import dev.plinth.shards.store.ShardStore.Node;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Sees to it that this node serves its share of the shards. It looks at the store at a slow pace,
 * and at a quick one while something is on the move, so that a shard which one node releases is
 * taken by the next within moments. One thread looks and decides; others move shards. All of them
 * wait for the store, so another one keeps the time.
 */
final class Placement implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.shards");
  private static final long LOOK_MILLIS = 100;
  private static final Duration LOOK = Duration.ofMillis(LOOK_MILLIS);
  // Each of its steps is bounded by itself: this only catches one that is not.
  private static final Duration MOVE = Duration.ofMinutes(10);
  private static final long QUICK_LOOK_MILLIS = 10;
  // By then the others have seen that it leaves, and look at a quick pace: a shard that it gives up
  // is claimed within moments.
  private static final long NOTICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * LOOK_MILLIS);
  private static final int FIRST_LOOKS = 20;
  private static final int WORKERS = 8;
  private static final long END_SECONDS = 10;

  private final ShardStore store;
  private final Shards shards;
  private final ShardMetrics metrics;
  private final RefusedShards refusedShards;
  private final Set<Integer> taking = ConcurrentHashMap.newKeySet();
  private final Set<Integer> giving = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean asked = new AtomicBoolean();
  private final CompletableFuture<Void> left = new CompletableFuture<>();
  private final Machine machine;
  private final LongSupplier nanos;
  private final ScheduledExecutorService timer;
  private final ExecutorService owner;
  private final ExecutorService workers;
  private List<String> nodes = List.of();
  private String lastBug = "";
  private volatile boolean leaving;
  private volatile long leavingSince;

  Placement(
      ShardStore store,
      Shards shards,
      ShardMetrics metrics,
      RefusedShards refusedShards,
      Machine machine) {
    this.store = store;
    this.shards = shards;
    this.metrics = metrics;
    this.refusedShards = refusedShards;
    this.machine = machine;
    this.nanos = machine.nanos();
    this.timer = machine.scheduler("plinth-placement");
    this.owner = machine.workers("plinth-owner", 1);
    this.workers = machine.workers("plinth-mover", WORKERS);
  }

  /**
   * Returns when the first look and all that followed from it is done. One that came to nothing,
   * though no other node is there, is repeated a few times: a session can be lost while the process
   * is still loading its classes, and what the start is to refuse would be noticed after it.
   */
  void start(Duration progressInterval) {
    try {
      lookFirst();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pollAfter(QUICK_LOOK_MILLIS);
    long progress = progressInterval.toMillis();
    timer.scheduleWithFixedDelay(shards::progress, progress, progress, TimeUnit.MILLISECONDS);
    timer.scheduleWithFixedDelay(shards::record, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void lookFirst() throws InterruptedException {
    for (int looks = 0; looks < FIRST_LOOKS; looks++) {
      List<CompletableFuture<Void>> moves = new ArrayList<>();
      poll(moves);
      await(moves);
      boolean alone =
          shards.routes().seen().clusterSnapshot().nodes().stream().allMatch(Node::self);
      if (!alone || !shards.served().isEmpty()) {
        break;
      }
      machine.pause(LOOK);
    }
  }

  private void await(List<CompletableFuture<Void>> moves) throws InterruptedException {
    try {
      machine.await(CompletableFuture.allOf(moves.toArray(CompletableFuture[]::new)), MOVE);
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.WARNING, "shards still move", e);
    }
  }

  private void pollAfter(long millis) {
    unlessClosed(
        () ->
            timer.schedule(
                () -> unlessClosed(() -> owner.execute(this::pollPeriodically)),
                millis,
                TimeUnit.MILLISECONDS));
  }

  private static void unlessClosed(Runnable step) {
    try {
      step.run();
    } catch (RejectedExecutionException e) {
      // Closed: there is nothing to look for.
    }
  }

  /** Whether this node is about to serve a shard. */
  Optional<Route> coming(int shard) {
    return taking.contains(shard)
        ? Optional.of(Route.COMING)
        : giving.contains(shard) ? Optional.of(Route.NOWHERE) : Optional.empty();
  }

  /** Looks as soon as possible; many who ask at once get one look. */
  void poll() {
    if (asked.compareAndSet(false, true)) {
      unlessClosed(
          () ->
              owner.execute(
                  () -> {
                    asked.set(false);
                    poll(new ArrayList<>());
                  }));
    }
  }

  /** Completes when the others serve all shards, or there are no others. */
  CompletableFuture<Void> leave() {
    leavingSince = nanos.getAsLong();
    leaving = true;
    store.withdraw();
    poll();
    return left;
  }

  private void pollPeriodically() {
    boolean settled = poll(new ArrayList<>()) && !shards.routes().isAwaited();
    pollAfter(settled ? LOOK_MILLIS : QUICK_LOOK_MILLIS);
  }

  /** One look, and what follows from it; true if nothing moves. */
  private boolean poll(List<CompletableFuture<Void>> moves) {
    try {
      replaceLost(moves);
      ClusterSnapshot clusterSnapshot = store.layout();
      shards.routes().update(clusterSnapshot);
      PlacementPlanner.Plan plan = PlacementPlanner.plan(store.shards(), clusterSnapshot, here());
      plan.claims().stream().filter(refusedShards::mayTry).forEach(shard -> moves.add(take(shard)));
      // Not by the first sight of a new node: the others may not have seen it.
      if (isSameAsBefore(clusterSnapshot) && isNoticed()) {
        plan.gives().stream()
            .filter(shard -> !taking.contains(shard))
            .forEach(shard -> moves.add(give(shard)));
      }
      noticeEnd(clusterSnapshot);
      lastBug = "";
      return plan.settled();
    } catch (Failure.StoreUnavailable e) {
      log.log(Level.DEBUG, "cannot see who owns what", e);
      if (leaving && store.unavailableReason().isPresent()) {
        left.complete(null); // nothing can be handed on
      }
      return true;
    } catch (RuntimeException | Error e) { // after an Error too there is a next look
      if (!lastBug.equals(e.toString())) {
        log.log(Level.ERROR, "shards cannot be spread", e);
      }
      lastBug = e.toString();
      return true;
    }
  }

  private PlacementPlanner.LocalShards here() {
    Set<Integer> held = new TreeSet<>(shards.served());
    held.addAll(taking);
    return new PlacementPlanner.LocalShards(held, new TreeSet<>(giving), leaving);
  }

  private boolean isSameAsBefore(ClusterSnapshot clusterSnapshot) {
    List<String> now = clusterSnapshot.nodes().stream().map(Node::id).toList();
    boolean same = now.equals(nodes);
    nodes = now;
    return same;
  }

  private boolean isNoticed() {
    return !leaving || nanos.getAsLong() - leavingSince >= NOTICE_NANOS;
  }

  private void noticeEnd(ClusterSnapshot clusterSnapshot) {
    if (leaving) {
      boolean alone = clusterSnapshot.nodes().stream().allMatch(Node::self);
      boolean taken =
          clusterSnapshot.owners().size() == store.shards()
              && clusterSnapshot.owners().stream().noneMatch(owner -> owner.node().self());
      if (alone || taken) {
        left.complete(null);
      }
    }
  }

  private void replaceLost(List<CompletableFuture<Void>> moves) {
    for (int shard = 0; shard < store.shards(); shard++) {
      int lost = shard;
      if (shards.isLost(lost) && !giving.contains(lost)) {
        moves.add(move(lost, giving, () -> shards.replace(lost)));
      }
    }
  }

  private CompletableFuture<Void> take(int shard) {
    long from = nanos.getAsLong();
    return move(
        shard,
        taking,
        () ->
            store
                .claim(shard)
                .ifPresent(
                    owned -> {
                      shards.serve(owned);
                      refusedShards.remove(shard);
                      metrics.taken(nanos.getAsLong() - from);
                    }));
  }

  private CompletableFuture<Void> give(int shard) {
    return move(shard, giving, () -> shards.give(shard));
  }

  private CompletableFuture<Void> move(int shard, Set<Integer> kind, Runnable step) {
    kind.add(shard);
    return CompletableFuture.runAsync(
        () -> {
          try {
            step.run();
          } catch (Failure.StoreUnavailable e) {
            log.log(Level.DEBUG, "shard " + shard + " cannot be moved now", e);
          } catch (ShardRefusedException e) {
            refusedShards.add(shard, e.getMessage(), null);
          } catch (RuntimeException | Error e) {
            // One shard whose rows cannot be read must not keep the others from being served.
            refusedShards.add(shard, "shard " + shard + " cannot be taken over: " + e, e);
          } finally {
            kind.remove(shard);
            shards.routes().wakeWaiters();
          }
        },
        workers);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    owner.shutdownNow();
    workers.shutdown();
    try {
      if (!workers.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
        log.log(Level.WARNING, "shards still move at the end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
