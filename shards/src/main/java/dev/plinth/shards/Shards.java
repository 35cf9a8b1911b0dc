package dev.plinth.shards;

import dev.plinth.machine.Machine;
import dev.plinth.server.Engine;
import dev.plinth.server.StartRefusedException;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.request.RequestMemo;
import dev.plinth.shards.request.RequestMemory;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.ShardStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
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
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);

  private final ShardStore store;
  private final List<ShardApp<?>> apps;
  private final ShardsSettings settings;
  private final RollbackDetector rollbackDetector;
  private final Machine machine;
  private final RefusedShards refusedShards;
  private final List<ShardLoop> loops;
  private final ShardSlot[] slots;
  private final ShardMetrics metrics;
  private final RequestMemory requests;
  private final AnswerExecutor answers;
  private final ShardRouter shardRouter;
  private final Placement placement;
  private final Engine engine;

  private Shards(
      ShardStore store,
      List<ShardApp<?>> apps,
      ShardsSettings settings,
      RollbackDetector rollbackDetector,
      Machine machine,
      MeterRegistry registry) {
    this.store = store;
    this.rollbackDetector = rollbackDetector;
    this.machine = machine;
    this.refusedShards = new RefusedShards(machine.nanos());
    this.apps = List.copyOf(apps);
    this.settings = settings;
    this.metrics = new ShardMetrics(registry, machine.nanos());
    this.requests = RequestMemory.of(settings);
    this.loops =
        IntStream.range(0, settings.loops())
            .mapToObj(i -> new ShardLoop("plinth-shards-" + i, machine))
            .toList();
    this.slots =
        IntStream.range(0, store.shards())
            .mapToObj(
                shard ->
                    new ShardSlot(
                        shard,
                        loops.get(shard % loops.size()),
                        new ShardQueueLimit(settings.queue()),
                        metrics))
            .toArray(ShardSlot[]::new);
    this.answers = new AnswerExecutor(machine);
    this.shardRouter = new ShardRouter(this, metrics, machine);
    this.placement = new Placement(store, this, metrics, refusedShards, machine);
    this.engine = new ShardEngine(store, refusedShards);
  }

  /**
   * Claims every free shard before it returns, then goes on claiming what becomes free. Where
   * others are there, each node has its share, and shards move as nodes come and go.
   */
  public static Shards open(
      ShardStore store, List<ShardApp<?>> apps, ShardsSettings settings, MeterRegistry registry) {
    return open(store, apps, settings, Optional.empty(), Machine.system(), registry);
  }

  /**
   * Like the other, and notes in a file how far the shards are.
   *
   * @param machine by whose time expiry and retention go; all else goes by its other clocks
   * @throws dev.plinth.server.StartRefusedException if the store is behind what the file says
   */
  public static Shards open(
      ShardStore store,
      List<ShardApp<?>> apps,
      ShardsSettings settings,
      Optional<Path> file,
      Machine machine,
      MeterRegistry registry) {
    RollbackDetector rollbackDetector =
        file.map(path -> RollbackDetector.in(path, store.shards()))
            .orElseGet(() -> RollbackDetector.inMemory(store.shards()));
    Shards shards = new Shards(store, apps, settings, rollbackDetector, machine, registry);
    shards.metrics.watch(registry, shards, store);
    shards.requests.watch(registry);
    shards.loops.forEach(ShardLoop::start);
    machine
        .time()
        .onAdvance(() -> shards.loops.forEach(loop -> loop.fireTimersAfterJump(DRAIN_SECONDS)));
    shards.placement.start(settings.progressInterval());
    try {
      shards.refusedShards.start();
      return shards;
    } catch (StartRefusedException e) {
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
  public ShardRouter routes() {
    return shardRouter;
  }

  /** Makes answers that would keep a shard from its work. */
  public Executor answers() {
    return answers;
  }

  /** What this node takes time, threads and chance from. */
  public Machine machine() {
    return machine;
  }

  /** The store as health sees it: in trouble too while a shard is refused here. */
  public Engine engine() {
    return engine;
  }

  /** Lets the other nodes know where this one answers, so that they pass calls on to it. */
  public void announce(String address) {
    store.announce(address);
    poll();
  }

  /**
   * Hands every shard on to the other nodes, if there are any, and waits for so long until they
   * serve them. Calls still find their way from here until {@link #close}.
   */
  public void leave(Duration atMost) {
    await(placement.leave(), atMost.toNanos());
  }

  /** Numbers of the shards that this node serves now. */
  public List<Integer> served() {
    return IntStream.range(0, slots.length).filter(i -> slots[i].isServed()).boxed().toList();
  }

  /** Number of the last durable commit of a shard that this node serves. */
  public OptionalLong revision(int shard) {
    return slots[shard].revision();
  }

  /** Commands that wait, over all shards. */
  int queued() {
    return Arrays.stream(slots).mapToInt(ShardSlot::waiting).sum();
  }

  public <S, R> CompletableFuture<R> submit(
      int shard, ShardApp<S> shardApp, CommandPriority commandPriority, Command<S, R> command) {
    PendingReply<R> reply = new PendingReply<>();
    slots[shard].submit(commandPriority, to -> to.run(shardApp, command, reply), reply::refuse);
    return reply.future();
  }

  /** Like {@link #submit}, for what would change something durable. */
  public <S, R> CompletableFuture<R> mutate(
      int shard, ShardApp<S> shardApp, CommandPriority commandPriority, Command<S, R> command) {
    PendingReply<R> reply = new PendingReply<>();
    if (!refuseToGrow(shard, commandPriority, reply::refuse)) {
      slots[shard].submit(
          commandPriority, to -> to.mutate(shardApp, command, reply), reply::refuse);
    }
    return reply.future();
  }

  /** A mutation that has its effect once, however often it is sent. */
  public <S, R> CompletableFuture<R> submit(
      int shard,
      ShardApp<S> shardApp,
      CommandPriority commandPriority,
      IdempotentRequest<R> idempotentRequest,
      Command<S, R> command) {
    PendingReply<R> reply = new PendingReply<>();
    if (!refuseToGrow(shard, commandPriority, reply::refuse)) {
      slots[shard].submit(
          commandPriority,
          to -> to.runOnce(shardApp, commandPriority, idempotentRequest, command, reply),
          reply::refuse);
    }
    return reply.future();
  }

  /** With a heap that is nearly full only what is urgent goes on: it ends holds and sessions. */
  private boolean refuseToGrow(
      int shard, CommandPriority commandPriority, Consumer<Failure> refusal) {
    boolean refused = commandPriority == CommandPriority.NORMAL && machine.isHeapFull();
    if (refused) {
      metrics.refused();
      refusal.accept(ShardFailures.heapFull(shard));
    }
    return refused;
  }

  /** Starts with a snapshot, taken by {@code snapshot} on the shard's loop. */
  public <S> void watch(
      int shard, ShardApp<S> shardApp, StateSnapshot<S> snapshot, Watcher watcher) {
    slots[shard].submitSlow(
        to -> to.watch(shardApp, OptionalLong.empty(), snapshot, watcher), watcher::end);
  }

  /** Goes on after a revision that the watcher has seen, or tells of a gap and starts again. */
  public <S> void resume(
      int shard, ShardApp<S> shardApp, long after, StateSnapshot<S> snapshot, Watcher watcher) {
    slots[shard].submitSlow(
        to -> to.watch(shardApp, OptionalLong.of(after), snapshot, watcher), watcher::end);
  }

  public void unwatch(int shard, Watcher watcher) {
    slots[shard].submit(CommandPriority.URGENT, to -> to.hub().leave(watcher), gone -> {});
  }

  Optional<Route> routeHere(int shard) {
    Route here = slots[shard].route();
    return here != null ? Optional.of(here) : placement.coming(shard);
  }

  /** Looks at the store soon: something moved. */
  void poll() {
    placement.poll();
  }

  /** True if there is something here to give up, which {@link #replace} does. */
  boolean isLost(int shard) {
    return slots[shard].isLost();
  }

  void serve(OwnedShard owned) {
    ShardSlot slot = slots[owned.shard()];
    RequestMemo memo = new RequestMemo(requests, machine);
    Shard shard = new Shard(store, owned, slot.loop(), machine, memo, metrics);
    try {
      shard.takeOver(apps, settings.generation(), rollbackDetector);
    } catch (RuntimeException | Error e) {
      shard.discard();
      owned.release();
      throw e;
    }
    slot.serve(shard);
    log.log(Level.DEBUG, "serving shard " + owned.shard() + " in epoch " + owned.epoch());
  }

  /** Gives up a shard that is lost, or loads it anew: whoever waits is told. */
  void replace(int number) {
    ShardSlot slot = slots[number];
    Shard shard = slot.take();
    if (shard != null) {
      await(slot.dismiss(shard), DRAIN_NANOS);
      rollbackDetector.record(number, shard.hub().revision());
      shard.reclaim().ifPresentOrElse(this::serve, shard::release);
    }
  }

  /** Hands a shard on: what was decided becomes durable and is answered, the rest had no effect. */
  void give(int number) {
    ShardSlot slot = slots[number];
    Shard shard = slot.take();
    if (shard != null) {
      await(slot.drain(shard), DRAIN_NANOS);
      await(slot.dismiss(shard), DRAIN_NANOS);
      shard.release();
      metrics.given();
    }
  }

  /** Tells watchers that they have missed nothing. */
  void progress() {
    for (ShardSlot slot : slots) {
      slot.execute(Shard::progress);
    }
  }

  /** Notes how far the shards are, here and elsewhere. */
  void record() {
    for (int i = 0; i < slots.length; i++) {
      int shard = i;
      slots[i].revision().ifPresent(revision -> rollbackDetector.record(shard, revision));
    }
    shardRouter.seen().clusterSnapshot().owners().forEach(rollbackDetector::record);
    rollbackDetector.save();
  }

  /** Stops taking commands, lets what is decided become durable, then gives every shard up. */
  @Override
  public void close() {
    placement.close();
    List<Shard> all = Arrays.stream(slots).map(ShardSlot::take).filter(Objects::nonNull).toList();
    awaitAll(all, ShardSlot::drain);
    all.forEach(shard -> rollbackDetector.record(shard.number(), shard.hub().revision()));
    rollbackDetector.save();
    rollbackDetector.close();
    awaitAll(all, ShardSlot::dismiss);
    loops.forEach(ShardLoop::close);
    all.forEach(Shard::release);
    shardRouter.close();
    answers.close();
  }

  /** All at the same time: a store that is away costs the wait once, and not once for each. */
  private void awaitAll(
      List<Shard> all, BiFunction<ShardSlot, Shard, CompletableFuture<Void>> step) {
    CompletableFuture<?>[] steps =
        all.stream()
            .map(shard -> step.apply(slots[shard.number()], shard))
            .toArray(CompletableFuture[]::new);
    await(CompletableFuture.allOf(steps), DRAIN_NANOS);
  }

  /** Bounded: a store that is away must not keep a process from ending. */
  private void await(CompletableFuture<?> done, long atMostNanos) {
    try {
      machine.await(done, Duration.ofNanos(atMostNanos));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.WARNING, "shards did not come to rest", e);
    }
  }
}
