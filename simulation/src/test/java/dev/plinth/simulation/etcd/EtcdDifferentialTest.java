package dev.plinth.simulation.etcd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The model answers as the real etcd does. */
@Tag("engine")
class EtcdDifferentialTest {
  private static final int TRACES_IN_CHECK = 30;

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @Test
  void randomRequests_haveTheSameAnswers() {
    run(1, TRACES_IN_CHECK);
  }

  /** {@code ./gradlew :simulation:differential -Ptraces=1000 -Pseed=1}. */
  @Test
  @Tag("differential")
  void manyRandomRequests_haveTheSameAnswers() {
    int traces = Integer.getInteger("traces");
    long seed = Long.getLong("seed");
    long begin = System.nanoTime();
    Map<String, Integer> answers = run(seed, traces);
    System.out.printf(
        "%d traces from seed %d, no difference, %d s%n",
        traces, seed, (System.nanoTime() - begin) / 1_000_000_000);
    answers.forEach((kind, count) -> System.out.printf("%8d %s%n", count, kind));
  }

  private static Map<String, Integer> run(long seed, int traces) {
    Map<String, Integer> answers = new TreeMap<>();
    try (RealEtcd real = new RealEtcd(ETCD.node(0).hostPort())) {
      for (int i = 0; i < traces; i++) {
        new EtcdTrace(seed + i, real)
            .run()
            .forEach((kind, count) -> answers.merge(kind, count, Integer::sum));
      }
    }
    reaches(answers);
    return answers;
  }

  /** Traces that etcd refuses throughout would agree as well. */
  private static void reaches(Map<String, Integer> answers) {
    Stream.of(
            "TxnRequest answered",
            "PutRequest answered",
            "RangeRequest answered",
            "duplicate key",
            "too many operations",
            "lease not found",
            "has been compacted",
            "future revision",
            "request is too large")
        .forEach(
            text ->
                assertTrue(
                    answers.keySet().stream().anyMatch(kind -> kind.contains(text)),
                    () -> "never: " + text + " in " + answers));
  }
}
