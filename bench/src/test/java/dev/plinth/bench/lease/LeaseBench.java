package dev.plinth.bench.lease;

import dev.plinth.bench.BenchRedis;
import dev.plinth.bench.BenchServer;
import dev.plinth.bench.Chosen;
import dev.plinth.bench.Echo;
import dev.plinth.bench.Load;
import dev.plinth.bench.Load.Times;
import dev.plinth.bench.Measured;
import dev.plinth.bench.Pace;
import dev.plinth.bench.Page;
import dev.plinth.bench.Profiler;
import dev.plinth.bench.ZooKeeperProcess;
import dev.plinth.bench.lease.LeaseTable.Written;
import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.shards.fixture.Wiring;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.testkit.TestSettings;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Leases end to end over gRPC beside a bare echo, the naive way on the same etcd, Curator and
 * Redisson, in one run on one machine: the ratios count. A cycle is a grant and a release; every
 * one is checked to have been granted, with a token above its caller's last.
 */
@Tag("lease")
class LeaseBench {
  static final int BESIDE_HEARTBEATS = 512;

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private static final Wiring<LeaseApp> LEASES = new Wiring<>(LeaseService::app, LeaseService::on);
  private static final int[] CALLERS = Chosen.callers(1, 8, 64, 512);
  private static final Pace PACE = Pace.of(1, 1, 4);
  private static final double SERVER_WARM_UP = Pace.QUICK ? 1 : 10;

  /** One way to run an operation for so many callers. */
  private interface Run {
    Measured with(int callers, Times times) throws Exception;
  }

  @TempDir Path directory;
  private final LeaseTable table = new LeaseTable();
  private int stores;

  @Test
  void leases() throws Exception {
    Chosen.checkRows(LeaseCase.rows());
    try (BenchRedis redis = BenchRedis.of(REDIS)) {
      redis.durable(false);
    }
    warmUp();
    measureYardsticks();
    measureStore("etcd", this::etcd);
    measureStore("embedded", this::embedded);
    Page page = new Page("benchmarks.md");
    page.put("leases", table.table());
    page.put("aims", new LeaseAims(table).table());
  }

  /** Compiles everybody's code before anybody's time is taken. */
  private void warmUp() throws Exception {
    try (BenchServer server = BenchServer.on(LEASES, metrics -> etcd());
        NaiveEtcd naive = new NaiveEtcd(ETCD.hostPorts());
        RedissonLocks redisson = new RedissonLocks(BenchRedis.uri(REDIS))) {
      LeaseCalls calls = new LeaseCalls(server.channel());
      List<IntFunction<CompletableFuture<?>>> operations = new ArrayList<>();
      operations.add(caller -> Echo.call(server.channel()));
      operations.add(calls::cycle);
      operations.add(calls::handOff);
      if (Chosen.row("naive")) {
        operations.add(naive::cycle);
      }
      if (Chosen.row("redisson")) {
        operations.add(redisson::cycle);
      }
      Load.warmUp(64, operations);
    }
  }

  private void measureYardsticks() throws Exception {
    if (Chosen.row("echo")) {
      try (BenchServer server = BenchServer.on(LEASES, metrics -> embedded())) {
        measure(LeaseCase.ECHO, caller -> Echo.call(server.channel()));
      }
    }
    if (Chosen.row("naive")) {
      ETCD.restartEmpty();
      try (NaiveEtcd naive = new NaiveEtcd(ETCD.hostPorts())) {
        measure(LeaseCase.NAIVE, naive::cycle);
      }
    }
    if (Chosen.row("curator")) {
      measureCurator();
    }
    if (Chosen.row("redisson")) {
      try (RedissonLocks redisson = new RedissonLocks(BenchRedis.uri(REDIS))) {
        measure(LeaseCase.REDISSON, redisson::cycle);
      }
    }
  }

  /** Its server is a JVM too, and is warmed up by the same load. */
  private void measureCurator() throws Exception {
    try (ZooKeeperProcess zooKeeper = new ZooKeeperProcess(directory.resolve("zookeeper"));
        CuratorLocks curator = new CuratorLocks(zooKeeper)) {
      Load.ofThreads(64, new Times(SERVER_WARM_UP, 0), curator::cycles);
      measure(
          LeaseCase.CURATOR,
          () -> Written.NOTHING,
          (callers, times) -> Load.ofThreads(callers, times, curator::cycles));
    }
  }

  /** A new etcd each time: the history of the cases before would slow it down. */
  private ShardStore etcd() {
    ETCD.restartEmpty();
    EtcdSettings settings = TestSettings.read(EtcdSettings.class);
    EtcdCluster cluster = new EtcdCluster(List.of(ETCD.hostPorts()), settings);
    return EtcdShardStore.open(cluster, "bench", BenchServer.SHARDS, new SimpleMeterRegistry());
  }

  private ShardStore embedded() {
    return EmbeddedShardStore.open(directory.resolve("store" + stores++), BenchServer.SHARDS);
  }

  private void measureStore(String name, Supplier<ShardStore> open) throws Exception {
    if (Chosen.row(LeaseCase.commits(name).row())) {
      try (ShardStore store = open.get()) {
        StoreCommits commits = new StoreCommits(store);
        Measured result = Load.ofCalls(1, PACE.times(), caller -> commits.next());
        table.add(LeaseCase.commits(name), 1, result, Written.NOTHING);
      }
    }
    measureLeases(LeaseCase.cycles(name), open, calls -> calls::cycle);
    measureLeases(LeaseCase.spread(name), open, calls -> calls::spread);
    measureLeases(LeaseCase.handOffs(name), open, calls -> calls::handOff);
    measureLeases(LeaseCase.renewals(name), open, calls -> calls::renewal);
    measureHeartbeats(LeaseCase.heartbeats(name), open);
  }

  private void measureLeases(
      LeaseCase what,
      Supplier<ShardStore> open,
      Function<LeaseCalls, IntFunction<CompletableFuture<?>>> operation)
      throws Exception {
    if (Chosen.row(what.row())) {
      try (BenchServer server = BenchServer.on(LEASES, metrics -> open.get())) {
        IntFunction<CompletableFuture<?>> calls = operation.apply(new LeaseCalls(server.channel()));
        measure(
            what,
            () -> new Written(server.commits(), server.rowsWritten()),
            (callers, times) -> Load.ofCalls(callers, times, calls));
      }
    }
  }

  private void measureHeartbeats(LeaseCase what, Supplier<ShardStore> open) throws Exception {
    if (!Chosen.row(what.row())) {
      return;
    }
    try (BenchServer server = BenchServer.on(LEASES, metrics -> open.get());
        Heartbeats heartbeats = new Heartbeats(server.target())) {
      LeaseCalls calls = new LeaseCalls(server.channel());
      heartbeats.start(PACE.times());
      Profiler.during(
          what.row(), () -> Load.ofCalls(BESIDE_HEARTBEATS, PACE.times(), calls::cycle));
      table.add(what, BESIDE_HEARTBEATS, heartbeats.stop(PACE.times()), Written.NOTHING);
    }
  }

  private void measure(LeaseCase what, IntFunction<CompletableFuture<?>> operation)
      throws Exception {
    measure(
        what, () -> Written.NOTHING, (callers, times) -> Load.ofCalls(callers, times, operation));
  }

  private void measure(LeaseCase what, Supplier<Written> written, Run run) throws Exception {
    for (int callers : CALLERS) {
      Written before = written.get();
      Measured result =
          Profiler.during(what.row() + "-" + callers, () -> run.with(callers, PACE.times()));
      table.add(what, callers, result, written.get().since(before));
    }
  }
}
