package dev.plinth.bench.ids;

import static dev.plinth.bench.Table.count;
import static dev.plinth.bench.Table.millis;

import dev.plinth.bench.Aims;
import dev.plinth.bench.BenchRedis;
import dev.plinth.bench.BenchServer;
import dev.plinth.bench.Echo;
import dev.plinth.bench.Measured;
import dev.plinth.bench.Pace;
import dev.plinth.bench.Page;
import dev.plinth.bench.Table;
import dev.plinth.bench.ids.Rounds.Outcome;
import dev.plinth.id.IdService;
import dev.plinth.id.core.IdApp;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.shards.fixture.Wiring;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ids in three classes that are not to be compared with each other: made offline, leased from a
 * store, and fetched by a call each. No id may come twice in a round, and ours rise for each
 * caller; every id of every round is checked.
 */
@Tag("ids")
class IdsBench {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private static final Wiring<IdApp> IDS =
      new Wiring<>((machine, meters) -> IdService.app(machine.time(), meters), IdService::on);
  private static final int[] THREADS = {1, 2};
  private static final int[] CALLERS = {1, 8, 64};
  private static final String INCREMENT = "Redis INCR";
  private static final long[] STEPS = {1_000, 100_000};
  private static final Layout ROOMY =
      Layout.newBuilder()
          .setEpochMs(1_735_689_600_000L)
          .setTimeBits(41)
          .setWorkerBits(4)
          .setSequenceBits(18)
          .build();
  private static final int MAX_CALLERS = 64;
  private static final Rounds LOCAL = new Rounds(Pace.of(5, 0.5, 0.5));
  private static final Rounds REMOTE = new Rounds(Pace.of(3, 1, 1));

  @TempDir Path directory;
  private final Page page = new Page("benchmarks-ids.md");
  private final Map<String, Double> perSecond = new HashMap<>();

  @Test
  void ids() throws Exception {
    page.put("offline", local(Offline.makers()));
    try (BenchRedis redis = BenchRedis.of(REDIS);
        BenchServer server = BenchServer.embedded(IDS, directory.resolve("db"))) {
      for (String namespace : List.of("called", "ranges", "hundreds")) {
        define(server, namespace, Definition.newBuilder().setFormat(Format.FORMAT_DENSE));
      }
      define(
          server,
          "flakes",
          Definition.newBuilder().setFormat(Format.FORMAT_SNOWFLAKE).setLayout(ROOMY));
      redis.durable(false);
      page.put("called", called(redis, server)); // first, so that ranges find calls compiled
      page.put("leased", leased(redis, server));
    }
    page.put("aims", aims());
  }

  private Table aims() {
    Aims aims = new Aims();
    for (int threads : THREADS) {
      double ours = rate(Leased.RANGE_IDS, threads);
      double chain =
          Math.max(
              rate(Leased.COSID_CHAIN.formatted(STEPS[0]), threads),
              rate(Leased.COSID_CHAIN.formatted(STEPS[1]), threads));
      aims.ratio("leased next() to CosId's faster chain, threads: " + threads, 1, ours / chain);
      aims.ratio(
          "leased next() to AtomicLong, threads: " + threads,
          0.5,
          ours / rate(Leased.ATOMIC_LONG, threads));
    }
    for (int callers : CALLERS) {
      aims.ratio(
          "Allocate(1) to one unpipelined Redis INCR, callers: " + callers,
          1,
          rate("Plinth Allocate(1)", callers) / rate(INCREMENT, callers));
    }
    return aims.table();
  }

  private Table leased(BenchRedis redis, BenchServer server) throws Exception {
    try (Leased leased = new Leased(server.target())) {
      return local(
          List.of(
              leased.atomicLong(),
              leased.segmentChain(redis, STEPS[0]),
              leased.segmentChain(redis, STEPS[1]),
              leased.rangeIds("ranges"),
              leased.rangeIdsByHundreds("hundreds"),
              leased.snowflakeIds("flakes")));
    }
  }

  private static void define(BenchServer server, String namespace, Definition.Builder as) {
    IdServiceGrpc.newBlockingStub(server.channel())
        .putNamespace(
            PutNamespaceRequest.newBuilder().setNamespace(namespace).setDefinition(as).build());
  }

  private Table local(List<Maker> makers) throws Exception {
    Table table = new Table("maker", "threads", "M ids/s", "p99.9 of 1,000 ids, ms", "ids rise");
    for (Maker maker : makers) {
      for (int threads : THREADS) {
        Outcome outcome = LOCAL.run(maker, threads);
        Measured measured = outcome.measured();
        perSecond.put(maker.name() + threads, measured.perSecond());
        table.row(
            maker.name(),
            threads,
            "%.1f".formatted(measured.perSecond() / 1e6),
            millis(measured.millis(99.9)),
            outcome.rising() ? "yes" : "no");
      }
    }
    return table;
  }

  private Table called(BenchRedis redis, BenchServer server) throws Exception {
    Table table =
        new Table(
            "maker",
            "callers",
            "ids/s",
            "calls/s",
            "p50 ms",
            "p99 ms",
            "ids to INCR",
            "calls to echo");
    List<StatefulRedisConnection<String, String>> connections =
        Stream.generate(redis.client()::connect).limit(MAX_CALLERS).toList();
    List<Maker> makers =
        List.of(
            Called.echo(server.channel()),
            Called.increment(redis, INCREMENT),
            Called.pipelined(connections),
            Called.incrementBy(redis),
            Called.allocate(server.channel(), "called", 1),
            Called.allocate(server.channel(), "called", Called.BATCH));
    for (Maker maker : makers) {
      REMOTE.run(maker, 8); // compiled before anybody's time is taken
    }
    for (Maker maker : makers) {
      call(table, maker);
    }
    redis.durable(true);
    call(table, Called.increment(redis, INCREMENT + ", each on disk"));
    redis.durable(false);
    connections.forEach(StatefulRedisConnection::close);
    return table;
  }

  private void call(Table table, Maker maker) throws Exception {
    boolean echo = maker.name().equals(Echo.NAME); // which gives no ids
    for (int callers : CALLERS) {
      Measured measured = REMOTE.run(maker, callers).measured();
      double calls = measured.operationsPerSecond();
      perSecond.put(maker.name() + callers, measured.perSecond());
      table.row(
          maker.name(),
          callers,
          echo ? "" : count(measured.perSecond()),
          count(calls),
          millis(measured.millis(50)),
          millis(measured.millis(99)),
          echo ? "" : Table.times(measured.perSecond() / rate(INCREMENT, callers)),
          Table.times(calls / rate(Echo.NAME, callers)));
    }
  }

  private double rate(String maker, int callers) {
    return perSecond.get(maker + callers);
  }
}
