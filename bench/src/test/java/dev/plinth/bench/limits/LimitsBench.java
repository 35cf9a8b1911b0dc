package dev.plinth.bench.limits;

import dev.plinth.bench.Aims;
import dev.plinth.bench.BenchRedis;
import dev.plinth.bench.BenchServer;
import dev.plinth.bench.Chosen;
import dev.plinth.bench.Load.Times;
import dev.plinth.bench.Pace;
import dev.plinth.bench.Page;
import dev.plinth.bench.Table;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.FlushMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rate limiters on one Redis, asked by threads of one process and of four. What each admits of
 * every key, in all processes and from the first decision to the last, is held against what its
 * limit allows; ours fail the run if it is more.
 */
@Tag("limits")
class LimitsBench {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  static final int PROCESSES = 4;
  private static final int[] THREADS = Pace.QUICK ? new int[] {8} : new int[] {1, 8, 64};
  private static final Pace PACE = Pace.of(2, 0.25, 0.6);

  private static final int ROUNDS = Integer.getInteger("plinth.bench.rounds", PACE.rounds());

  @TempDir Path directory;
  private final Scores scores = new Scores();
  private int runs;

  @Test
  void limits() throws Exception {
    Chosen.checkRows(all().stream().map(Scene::row).toList());
    String uri = BenchRedis.uri(REDIS);
    Table memory;
    try (BenchRedis redis = new BenchRedis(uri);
        BenchServer server =
            new BenchServer(metrics -> new LimitServer(directory, uri, metrics.registry()));
        Fleet fleet = new Fleet(directory, PROCESSES, uri, server.target())) {
      redis.durable(false);
      memory = new MemoryUse(redis, new Clients(uri, server.target())).table();
      warmUp(fleet, redis);
      for (int round = 0; round < ROUNDS; round++) {
        for (Scene scene : scenes()) {
          System.out.println("round %d: %s".formatted(round + 1, scene));
          for (Entry entry : Entry.values()) {
            run(fleet, redis, scene, entry);
          }
        }
      }
    }
    Page page = new Page("benchmarks-limits.md");
    page.put("limits", scores.table());
    page.put("memory", memory);
    page.put("aims", aims());
  }

  private Table aims() {
    Aims aims = new Aims();
    for (Scene scene : scenes()) {
      if (scene.limit().equals(Limit.TIGHT)) {
        continue;
      }
      if (scene.keys() == Keys.HOT) {
        leased(aims, scene);
      }
      if (scene.processes() == PROCESSES && scene.keys() == Keys.HOT) {
        strict(aims, scene, 3);
      } else if (scene.processes() == PROCESSES && scene.keys() == Keys.UNIFORM) {
        strict(aims, scene, 1.5);
      }
    }
    return aims.table();
  }

  private void leased(Aims aims, Scene scene) {
    double ratio = scores.ratio(scene, Entry.LEASES, Entry::isStrictPeer);
    aims.ratio(Entry.LEASES + " to the fastest strict peer, " + scene, 10, ratio);
  }

  private void strict(Aims aims, Scene scene, double wanted) {
    for (Entry entry : List.of(Entry.GRPC, Entry.ENGINE)) {
      double ratio = scores.ratio(scene, entry, Entry::isStrictBucket4j);
      aims.ratio(entry + " to Bucket4j's faster strict mode, " + scene, wanted, ratio);
    }
  }

  private static List<Scene> scenes() {
    return all().stream().filter(scene -> Chosen.row(scene.row())).toList();
  }

  private static List<Scene> all() {
    List<Scene> scenes = new ArrayList<>();
    for (Keys keys : Keys.values()) {
      for (int processes : new int[] {1, PROCESSES}) {
        for (int threads : THREADS) {
          scenes.add(new Scene(keys, Limit.WIDE, processes, threads));
        }
      }
    }
    scenes.add(new Scene(Keys.HOT, Limit.TIGHT, 1, 8));
    scenes.add(new Scene(Keys.HOT, Limit.TIGHT, PROCESSES, 8));
    return scenes;
  }

  /** Compiles everybody's code before anybody's time is taken. */
  private void warmUp(Fleet fleet, BenchRedis redis) {
    Times times = new Times(PACE.times().warmUp() * 12, 0);
    for (Entry entry : Entry.values()) {
      fleet.run(new Job(entry, fresh(Keys.ZIPF, Limit.WIDE), 8, times), PROCESSES, () -> {});
      redis.commands().flushall(FlushMode.ASYNC);
    }
  }

  private void run(Fleet fleet, BenchRedis redis, Scene scene, Entry entry) {
    Job job = new Job(entry, fresh(scene.keys(), scene.limit()), scene.threads(), PACE.times());
    long[] before = new long[1];
    Report report = fleet.run(job, scene.processes(), () -> before[0] = redis.commandsRun());
    scores.of(scene, entry).add(report, redis.commandsRun() - before[0]);
    redis.commands().flushall(FlushMode.ASYNC);
  }

  private Case fresh(Keys keys, Limit limit) {
    return new Case(keys, limit, "run-" + runs++);
  }
}
