package dev.plinth.shards;

import dev.plinth.server.Engine;
import dev.plinth.server.StartRefused;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.ShardStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The shards that this node serves. Commands for a key go to its shard; where another node owns it,
 * or nobody yet, they fail with SHARD_MOVED. A shard that is lost, or whose commit failed, is
 * dropped with all its callers told, and claimed and loaded anew as soon as the store lets us.
 */
public final class Shards implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.shards");
  private static final long DRAIN_SECONDS = 10;

  private final ShardStore store;
  private final List<App<?>> apps;
  private final ShardsSettings settings;
  private final Witness witness;
  private final Refusals refusals = new Refusals();
  private final List<ShardLoop> loops;
  private final List<ShardQueue> queues;
  private final AtomicReferenceArray<Shard> serving;
  private final ShardMetrics metrics;
  private final RequestMemory requests;
  private final HeapPressure heap = HeapPressure.ofThisProcess();
  private final Routes routes;
  private final Placement placement;
  private final Engine engine;

  private Shards(
      ShardStore store,
      List<App<?>> apps,
      ShardsSettings settings,
      Witness witness,
      MeterRegistry registry) {
    this.store = store;
    this.witness = witness;
    this.apps = List.copyOf(apps);
    this.settings = settings;
    this.metrics = new ShardMetrics(registry);
    this.requests = RequestMemory.of(settings);
    this.serving = new AtomicReferenceArray<>(store.shards());
    this.loops =
        IntStream.range(0, settings.loops())
            .mapToObj(i -> new ShardLoop("plinth-shards-" + i, System::nanoTime))
            .toList();
    this.queues =
        IntStream.range(0, store.shards()).mapToObj(i -> new ShardQueue(settings.queue())).toList();
    this.routes = new Routes(this, metrics, store.shards(), settings.queue());
    this.placement = new Placement(store, this, metrics, refusals);
    this.engine = new ShardEngine(store, refusals);
  }

  /**
   * Claims every free shard before it returns, then goes on claiming what becomes free. Where
   * others are there, each node has its share, and shards move as nodes come and go.
   */
  public static Shards open(
      ShardStore store, List<App<?>> apps, ShardsSettings settings, MeterRegistry registry) {
    return open(store, apps, settings, Witness.inMemory(store.shards()), registry);
  }

  /**
   * Like the other, and notes in a file how far the shards are.
   *
   * @throws dev.plinth.server.StartRefused if the store is behind what the file says
   */
  public static Shards open(
      ShardStore store,
      List<App<?>> apps,
      ShardsSettings settings,
      Path witness,
      MeterRegistry registry) {
    return open(store, apps, settings, Witness.in(witness, store.shards()), registry);
  }

  private static Shards open(
      ShardStore store,
      List<App<?>> apps,
      ShardsSettings settings,
      Witness witness,
      MeterRegistry registry) {
    Shards shards = new Shards(store, apps, settings, witness, registry);
    shards.metrics.watch(registry, shards, store);
    ShardMetrics.watch(registry, shards.requests);
    shards.loops.forEach(ShardLoop::start);
    shards.placement.start(settings.progressInterval());
    try {
      shards.refusals.start();
      return shards;
    } catch (StartRefused e) {
      shards.close();
      throw e;
    }
  }

  public int shardOf(String key) {
    return Fingerprint.shardOf(key, store.shards());
  }

  public int count() {
    return store.shards();
  }

  public ShardsSettings settings() {
    return settings;
  }

  /** Where calls go, for those that this node does not serve too. */
  public Routes routes() {
    return routes;
  }

  /** The store as health sees it: in trouble too while a shard is refused here. */
  public Engine engine() {
    return engine;
  }

  /** Lets the other nodes know where this one answers, so that they pass calls on to it. */
  public void announce(String address) {
    store.announce(address);
    look();
  }

  /**
   * Hands every shard on to the other nodes, if there are any, and waits a while until they serve
   * them. Calls still find their way from here until {@link #close}.
   */
  public void leave() {
    await(placement.leave());
  }

  /** Numbers of the shards that this node serves now. */
  public List<Integer> served() {
    return IntStream.range(0, store.shards()).filter(i -> isServed(i)).boxed().toList();
  }

  /** Number of the last durable commit of a shard that this node serves. */
  public OptionalLong revision(int shard) {
    Shard here = serving.get(shard);
    return here == null || here.isLost()
        ? OptionalLong.empty()
        : OptionalLong.of(here.hub().revision());
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

  /** Like {@link #submit(int, App, Lane, Command)}, for what would change something durable. */
  public <S, R> CompletableFuture<R> mutate(int shard, App<S> app, Command<S, R> command) {
    return mutate(shard, app, Lane.NORMAL, command);
  }

  /** The same in a lane of its choice. */
  public <S, R> CompletableFuture<R> mutate(
      int shard, App<S> app, Lane lane, Command<S, R> command) {
    PendingReply<R> reply = new PendingReply<>();
    if (!refuseToGrow(shard, lane, reply::refuse)) {
      enqueue(shard, lane, to -> to.mutate(app, command, reply), reply::refuse);
    }
    return reply.future();
  }

  /** A mutation that has its effect once, however often it is sent. */
  public <S, R> CompletableFuture<R> submit(
      int shard, App<S> app, Lane lane, Request<R> request, Command<S, R> command) {
    PendingReply<R> reply = new PendingReply<>();
    if (!refuseToGrow(shard, lane, reply::refuse)) {
      enqueue(shard, lane, to -> to.runOnce(app, lane, request, command, reply), reply::refuse);
    }
    return reply.future();
  }

  /** With a heap that is nearly full only what is urgent goes on: it ends holds and sessions. */
  private boolean refuseToGrow(int shard, Lane lane, Consumer<Failure> refusal) {
    boolean refused = lane == Lane.NORMAL && heap.getAsBoolean();
    if (refused) {
      metrics.refused();
      refusal.accept(Unavailability.heapFull(shard));
    }
    return refused;
  }

  /** Starts with a snapshot, taken by {@code snapshot} on the shard's loop. */
  public <S> void watch(int shard, App<S> app, StateSnapshot<S> snapshot, Watcher watcher) {
    enqueueSlow(shard, to -> to.watch(app, snapshot, watcher), watcher::end);
  }

  /** Goes on after a revision that the watcher has seen, or tells of a gap and starts again. */
  public <S> void resume(
      int shard, App<S> app, long after, StateSnapshot<S> snapshot, Watcher watcher) {
    enqueueSlow(shard, to -> to.resume(app, after, snapshot, watcher), watcher::end);
  }

  public void unwatch(int shard, Watcher watcher) {
    enqueue(shard, Lane.URGENT, to -> to.hub().leave(watcher), gone -> {});
  }

  private void enqueue(int shard, Lane lane, Consumer<Shard> work, Consumer<Failure> refusal) {
    admit(shard, lane, work, refusal).ifPresent(task -> loop(shard).submit(lane, task));
  }

  /** For snapshots: the more rows, the longer they take. */
  private void enqueueSlow(int shard, Consumer<Shard> work, Consumer<Failure> refusal) {
    admit(shard, Lane.NORMAL, work, refusal).ifPresent(task -> loop(shard).submitSlow(task));
  }

  private Optional<ShardTask> admit(
      int shard, Lane lane, Consumer<Shard> work, Consumer<Failure> refusal) {
    Shard to = serving.get(shard);
    ShardQueue queue = queues.get(shard);
    if (to == null) {
      refusal.accept(Unavailability.untouched(shard));
    } else if (!queue.enter(lane)) {
      metrics.refused();
      refusal.accept(Unavailability.overloaded(shard));
    } else {
      return Optional.of(new ShardTask(to, queue, work));
    }
    return Optional.empty();
  }

  private ShardLoop loop(int shard) {
    return loops.get(shard % loops.size());
  }

  private boolean isServed(int shard) {
    Shard serves = serving.get(shard);
    return serves != null && !serves.isLost();
  }

  Optional<Route> routeHere(int shard) {
    Shard here = serving.get(shard);
    return here != null && !here.isLost() ? Optional.of(here.route()) : placement.coming(shard);
  }

  /** Looks at the store soon: something moved. */
  void look() {
    placement.look();
  }

  /** True if there is something here to give up, which {@link #replace} does. */
  boolean isLost(int shard) {
    Shard here = serving.get(shard);
    return here != null && here.isLost();
  }

  void serve(OwnedShard owned) {
    ShardLoop loop = loop(owned.shard());
    RequestMemo memo = new RequestMemo(requests, System::nanoTime);
    Shard shard = new Shard(store, owned, loop, System::nanoTime, memo, metrics);
    try {
      shard.takeOver(apps, settings.generation(), witness);
    } catch (RuntimeException e) {
      memo.close();
      owned.release();
      throw e;
    }
    // Before any command can reach it, since it starts the shard's time.
    loop.execute(() -> loop.add(shard));
    serving.set(owned.shard(), shard);
    log.log(Level.DEBUG, "serving shard " + owned.shard() + " in epoch " + owned.epoch());
  }

  /** Gives up a shard that is lost, or loads it anew: whoever waits is told. */
  void replace(int number) {
    Shard shard = serving.getAndSet(number, null);
    if (shard != null) {
      leave(shard);
      witness.note(number, shard.hub().revision());
      shard.again().ifPresentOrElse(this::serve, shard::release);
    }
  }

  /** Hands a shard on: what was decided becomes durable and is answered, the rest had no effect. */
  void give(int number) {
    Shard shard = serving.getAndSet(number, null);
    if (shard != null) {
      drain(shard);
      leave(shard);
      shard.release();
      metrics.given();
    }
  }

  private void leave(Shard shard) {
    ShardLoop loop = loop(shard.number());
    await(
        CompletableFuture.runAsync(
            () -> {
              shard.leave();
              loop.remove(shard);
            },
            loop));
  }

  private void drain(Shard shard) {
    CompletableFuture<Void> quiet = new CompletableFuture<>();
    ShardQueue queue = queues.get(shard.number());
    queue.enterAnyway();
    ShardTask stop =
        new ShardTask(
            shard,
            queue,
            stopping -> {
              stopping.stop();
              stopping.whenQuiet(() -> quiet.complete(null));
            });
    loop(shard.number()).submit(Lane.NORMAL, stop);
    await(quiet);
  }

  /** Tells watchers that they have missed nothing. */
  void progress() {
    for (int i = 0; i < store.shards(); i++) {
      Shard shard = serving.get(i);
      if (shard != null) {
        loop(i).execute(() -> shard.guarded(Shard::progress));
      }
    }
  }

  /** Notes how far the shards are, here and elsewhere. */
  void note() {
    for (int i = 0; i < store.shards(); i++) {
      Shard shard = serving.get(i);
      if (shard != null) {
        witness.note(i, shard.hub().revision());
      }
    }
    routes.seen().layout().owners().forEach(witness::note);
    witness.save();
  }

  /** Stops taking commands, lets what is decided become durable, then gives every shard up. */
  @Override
  public void close() {
    placement.close();
    List<Shard> all = new ArrayList<>();
    for (int i = 0; i < store.shards(); i++) {
      Shard shard = serving.getAndSet(i, null);
      if (shard != null) {
        all.add(shard);
      }
    }
    all.forEach(this::drain);
    all.forEach(shard -> witness.note(shard.number(), shard.hub().revision()));
    witness.save();
    witness.close();
    all.forEach(this::leave);
    loops.forEach(ShardLoop::close);
    all.forEach(Shard::release);
    routes.close();
  }

  /** Bounded: a store that is away must not keep a process from ending. */
  private static void await(CompletableFuture<?> done) {
    try {
      done.get(DRAIN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.WARNING, "shards did not come to rest", e);
    }
  }
}
