package dev.plinth.standalone.history;

import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link LeaseHistoryTest} with one seed after the other, on both stores in turn, until the time is
 * up: {@code ./gradlew :standalone:histories -Pminutes=10 -Pseed=7}.
 */
@Tag("histories")
class LongHistoriesTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path directory;

  @Test
  void histories_areLinearizable() throws Exception {
    long end = System.nanoTime() + Duration.ofMinutes(Long.getLong("minutes")).toNanos();
    long seed = Long.getLong("seed");
    System.out.println("from seed " + seed + " on");
    for (long next = seed; next == seed || System.nanoTime() - end < 0; next++) {
      run(next, Cluster.embedded(directory, "run" + next + "-"));
      run(next, Cluster.onEtcd(directory, "run" + next, ETCD));
    }
  }

  private static void run(long seed, Cluster opened) throws Exception {
    try (Cluster cluster = opened) {
      HistoryRun run = new HistoryRun(seed, cluster);
      run.run();
      System.out.println(run);
    }
  }
}
