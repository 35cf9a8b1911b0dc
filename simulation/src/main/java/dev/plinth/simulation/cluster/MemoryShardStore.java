package dev.plinth.simulation.cluster;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** One node's way to the {@link MemoryStoreEngine}, by a session that it keeps. */
final class MemoryShardStore implements ShardStore {
  private static final String NAME = "coordination";
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int MARGIN = 10; // a tenth of the session
  private static final long MOST_APART_MILLIS = 50;

  private final MemoryStoreEngine engine;
  private final SimulatedMachine machine;
  private final StoreRequests requests;
  private final ScheduledExecutorService heartbeats;
  private final String name;
  private final Map<Integer, Long> held = new TreeMap<>(); // epochs of shards
  private Optional<String> address = Optional.empty();
  private String session = "";
  private int sessions;
  private long authorityUntil;
  private long trustedNanos; // both clocks, as of the last heartbeat that was answered
  private long trustedMillis;
  private boolean closed;

  MemoryShardStore(MemoryStoreEngine engine, StoreRequests requests, SimulatedMachine machine) {
    this.engine = engine;
    this.machine = machine;
    this.requests = requests;
    this.name = machine.process().name();
    this.heartbeats = machine.scheduler("heartbeats");
    this.authorityUntil = machine.nanos().getAsLong() - 1;
  }

  /** With a session, once the engine has answered. */
  static MemoryShardStore open(
      MemoryStoreEngine engine, StoreRequests requests, SimulatedMachine machine) {
    MemoryShardStore store = new MemoryShardStore(engine, requests, machine);
    while (!store.tryOpen()) {}
    long interval = engine.sessionNanos() / 4;
    store.heartbeats.scheduleWithFixedDelay(
        store::keepSession, interval, interval, TimeUnit.NANOSECONDS);
    return store;
  }

  private boolean tryOpen() {
    try {
      session = newSession();
      return machine.await(beat(true), PATIENCE);
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private String newSession() {
    return name + "." + Long.toHexString(machine.random().nextLong() >>> 40) + "." + ++sessions;
  }

  private CompletableFuture<Boolean> beat(boolean opens) {
    long sent = machine.nanos().getAsLong();
    long sentMillis = machine.wall().millis();
    String id = session;
    Map<Integer, Long> known = new TreeMap<>(held);
    return requests
        .send(
            () -> {
              engine.releaseAllBut(known, id);
              return engine.keep(id, name, opens);
            })
        .thenApply(
            kept -> {
              if (kept && id.equals(session)) {
                long sure = engine.sessionNanos() - engine.sessionNanos() / MARGIN;
                authorityUntil = sent + sure;
                trustedNanos = sent;
                trustedMillis = sentMillis;
              }
              return kept;
            });
  }

  private void keepSession() {
    String id = session;
    beat(false)
        .thenAccept(
            kept -> {
              if (!kept && id.equals(session) && !closed) {
                session = newSession();
                beat(true).thenRun(this::announceAgain);
              }
            });
  }

  private void announceAgain() {
    String id = session;
    requests.send(() -> done(() -> engine.announce(id, address)));
  }

  private static boolean done(Runnable step) {
    step.run();
    return true;
  }

  void released(int shard, long epoch) {
    held.remove(shard, epoch);
  }

  String session() {
    return session;
  }

  MemoryStoreEngine engine() {
    return engine;
  }

  StoreRequests requests() {
    return requests;
  }

  SimulatedProcess process() {
    return machine.process();
  }

  <T> T ask(Supplier<T> question) {
    try {
      return machine.await(requests.send(question), PATIENCE);
    } catch (ExecutionException | TimeoutException e) {
      throw StoreUnavailable.notApplied(NAME, "no answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoreUnavailable.notApplied(NAME, "interrupted", e);
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String kind() {
    return "memory";
  }

  @Override
  public String location() {
    return MemoryStoreEngine.COMPUTER;
  }

  @Override
  public Optional<String> unavailableReason() {
    return authorityUntil - machine.nanos().getAsLong() < 0
        ? Optional.of("no word of the store")
        : Optional.empty();
  }

  @Override
  public int shards() {
    return engine.shards();
  }

  @Override
  public int maxWrites() {
    return 100;
  }

  @Override
  public Optional<OwnedShard> claim(int shard) {
    String id = session;
    return ask(() -> engine.claim(shard, id))
        .map(
            claimed -> {
              held.put(shard, claimed.epoch());
              return new MemoryOwnedShard(this, shard, id, claimed);
            });
  }

  @Override
  public ClusterSnapshot layout() {
    String id = session;
    return ask(() -> engine.layout(id));
  }

  @Override
  public void announce(String where) {
    address = Optional.of(where);
    announceAgain();
    // Until it is surely known: a request may be lost.
    heartbeats.scheduleWithFixedDelay(this::announceAgain, 1, 1, TimeUnit.SECONDS);
  }

  @Override
  public void withdraw() {
    address = Optional.empty();
    announceAgain();
  }

  @Override
  public long authorityUntil() {
    return isClockTrusted() ? authorityUntil : machine.nanos().getAsLong() - 1;
  }

  /** A computer that slept shows by its two clocks. */
  @Override
  public boolean isClockTrusted() {
    long millis = TimeUnit.NANOSECONDS.toMillis(machine.nanos().getAsLong() - trustedNanos);
    return Math.abs(machine.wall().millis() - trustedMillis - millis) < MOST_APART_MILLIS;
  }

  @Override
  public void close() {
    closed = true;
    heartbeats.shutdownNow();
    String id = session;
    requests.send(() -> done(() -> engine.end(id)));
  }
}
