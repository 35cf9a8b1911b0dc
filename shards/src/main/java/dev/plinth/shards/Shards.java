package dev.plinth.shards;

import dev.plinth.server.Threads;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.ShardStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The shards that this node serves. Commands for a key go to its shard; where another node owns it,
 * or nobody yet, they fail with SHARD_MOVED. A shard that is lost, or whose commit failed, is
 * dropped with all its callers told, and claimed and loaded anew as soon as the store lets us.
 */
public final class Shards implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.shards");
  private static final long CLAIM_MILLIS = 200;
  private static final long DRAIN_SECONDS = 10;

  private final ShardStore store;
  private final List<App<?>> apps;
  private final ShardsSettings settings;
  private final List<ShardLoop> loops;
  private final List<ShardQueue> queues;
  private final AtomicReferenceArray<Shard> serving;
  private final ScheduledExecutorService owner =
      Executors.newSingleThreadScheduledExecutor(Threads.daemons("plinth-owner"));

  private final ShardMetrics metrics;

  private Shards(
      ShardStore store, List<App<?>> apps, ShardsSettings settings, MeterRegistry registry) {
    this.store = store;
    this.apps = List.copyOf(apps);
    this.settings = settings;
    this.metrics = new ShardMetrics(registry);
    this.serving = new AtomicReferenceArray<>(store.shards());
    this.loops =
        IntStream.range(0, settings.loops())
            .mapToObj(i -> new ShardLoop("plinth-shards-" + i, System::nanoTime))
            .toList();
    this.queues =
        IntStream.range(0, store.shards()).mapToObj(i -> new ShardQueue(settings.queue())).toList();
  }

  /** Claims every free shard before it returns, then goes on claiming what becomes free. */
  public static Shards open(
      ShardStore store, List<App<?>> apps, ShardsSettings settings, MeterRegistry registry) {
    Shards shards = new Shards(store, apps, settings, registry);
    shards.metrics.watch(registry, shards, store);
    shards.loops.forEach(ShardLoop::start);
    shards.claimFree();
    shards.owner.scheduleWithFixedDelay(
        shards::claimFree, CLAIM_MILLIS, CLAIM_MILLIS, TimeUnit.MILLISECONDS);
    long progress = settings.progressInterval().toMillis();
    shards.owner.scheduleWithFixedDelay(
        shards::progress, progress, progress, TimeUnit.MILLISECONDS);
    return shards;
  }

  public int shardOf(String key) {
    return Fingerprint.shardOf(key, store.shards());
  }

  /** Numbers of the shards that this node serves now. */
  public List<Integer> served() {
    return IntStream.range(0, store.shards()).filter(i -> isServed(i)).boxed().toList();
  }

  /** Commands that wait, over all shards. */
  int queued() {
    return queues.stream().mapToInt(ShardQueue::waiting).sum();
  }

  public <S, R> CompletableFuture<R> submit(
      int shard, App<S> app, Lane lane, Command<S, R> command) {
    PendingReply<R> reply = new PendingReply<>();
    enqueue(shard, lane, to -> to.run(app, command, reply), reply::refuse);
    return reply.future();
  }

  /** A mutation that has its effect once, however often it is sent. */
  public <S, R> CompletableFuture<R> submit(
      int shard, App<S> app, Lane lane, Request<R> request, Command<S, R> command) {
    PendingReply<R> reply = new PendingReply<>();
    enqueue(shard, lane, to -> to.runOnce(app, request, command, reply), reply::refuse);
    return reply.future();
  }

  /** Starts with a snapshot, taken by {@code snapshot} on the shard's loop. */
  public <S> void watch(int shard, App<S> app, Function<S, Object> snapshot, Watcher watcher) {
    enqueue(shard, Lane.NORMAL, to -> to.watch(app, snapshot, watcher), watcher::end);
  }

  /** Goes on after a revision that the watcher has seen, or tells of a gap and starts again. */
  public <S> void resume(
      int shard, App<S> app, long after, Function<S, Object> snapshot, Watcher watcher) {
    enqueue(shard, Lane.NORMAL, to -> to.resume(app, after, snapshot, watcher), watcher::end);
  }

  public void unwatch(int shard, Watcher watcher) {
    enqueue(shard, Lane.URGENT, to -> to.hub().leave(watcher), gone -> {});
  }

  private void enqueue(int shard, Lane lane, Consumer<Shard> work, Consumer<Failure> refusal) {
    Shard to = serving.get(shard);
    ShardQueue queue = queues.get(shard);
    if (to == null) {
      refusal.accept(Unavailability.moved(shard));
    } else if (!queue.enter(lane)) {
      metrics.refused();
      refusal.accept(Unavailability.overloaded(shard));
    } else {
      loop(shard)
          .submit(
              lane,
              () -> {
                queue.leave();
                work.accept(to);
              });
    }
  }

  private ShardLoop loop(int shard) {
    return loops.get(shard % loops.size());
  }

  private boolean isServed(int shard) {
    Shard serves = serving.get(shard);
    return serves != null && !serves.isLost();
  }

  /** One pass: gives back what was dropped, takes what is free. */
  private void claimFree() {
    for (int shard = 0; shard < store.shards(); shard++) {
      try {
        Shard old = serving.get(shard);
        if (old != null && old.isLost()) {
          giveUp(old);
          old = null;
        }
        if (old == null) {
          store.claim(shard).ifPresent(this::serve);
        }
      } catch (Failure.StoreUnavailable e) {
        log.log(Level.DEBUG, "shard " + shard + " cannot be claimed now", e);
      } catch (RuntimeException e) {
        // One shard whose rows cannot be read must not keep the others from being served.
        log.log(Level.ERROR, "shard " + shard + " cannot be taken over", e);
      }
    }
  }

  private void serve(OwnedShard owned) {
    ShardLoop loop = loop(owned.shard());
    Shard shard =
        new Shard(
            store,
            owned,
            loop,
            System::nanoTime,
            new RequestMemo(settings.rememberedRequests()),
            metrics);
    try {
      shard.takeOver(apps);
    } catch (RuntimeException e) {
      owned.release();
      throw e;
    }
    serving.set(owned.shard(), shard);
    loop.execute(() -> loop.add(shard));
    log.log(Level.DEBUG, "serving shard " + owned.shard() + " in epoch " + owned.epoch());
  }

  private void giveUp(Shard shard) {
    serving.set(shard.number(), null);
    await(onLoop(shard, () -> leave(shard)));
    shard.release();
  }

  private void leave(Shard shard) {
    shard.drop(Unavailability.moved(shard.number()));
    loop(shard.number()).remove(shard);
  }

  private void progress() {
    for (int i = 0; i < store.shards(); i++) {
      Shard shard = serving.get(i);
      if (shard != null) {
        loop(i).execute(() -> shard.hub().progress());
      }
    }
  }

  /** Stops taking commands, lets what is decided become durable, then gives every shard up. */
  @Override
  public void close() {
    owner.shutdownNow();
    List<Shard> all = new ArrayList<>();
    for (int i = 0; i < store.shards(); i++) {
      Shard shard = serving.getAndSet(i, null);
      if (shard != null) {
        all.add(shard);
      }
    }
    all.forEach(this::drain);
    loops.forEach(ShardLoop::close);
    all.forEach(Shard::release);
  }

  private void drain(Shard shard) {
    CompletableFuture<Void> quiet = new CompletableFuture<>();
    loop(shard.number()).submit(Lane.NORMAL, () -> shard.whenQuiet(() -> quiet.complete(null)));
    await(quiet);
  }

  private CompletableFuture<Void> onLoop(Shard shard, Runnable task) {
    return CompletableFuture.runAsync(task, loop(shard.number()));
  }

  /** Bounded: a store that is away must not keep a process from ending. */
  private static void await(CompletableFuture<Void> done) {
    try {
      done.get(DRAIN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.WARNING, "a shard did not come to rest", e);
    }
  }
}
