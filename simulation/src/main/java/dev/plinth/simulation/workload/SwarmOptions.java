package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.Seeds;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * What a seed drew before its run began. Each operation and fault exists with 1/2, so that some
 * runs are full of what in others would be rare.
 *
 * @param present operations that there are
 * @param faults that there are
 * @param settings of the servers, small on purpose
 * @param clients of single keys
 * @param keys that they share
 * @param thinkMillis the most that a client idles between calls
 * @param seconds of virtual time until everything is healed
 * @param driftPpm the most that a node's clock is wrong
 */
public record SwarmOptions(
    Set<String> present,
    Set<FaultKind> faults,
    ServerOptions settings,
    int clients,
    int keys,
    int thinkMillis,
    int seconds,
    long driftPpm) {
  private static final List<String> OPERATIONS =
      List.of(
          "shared",
          "waits",
          "reentry",
          "transfer",
          "force",
          "late-retries",
          "hedges",
          "mixed",
          "sets",
          "semaphores",
          "lock-delays",
          "policies",
          "cancels",
          "sessions",
          "watches",
          "spread");

  /** What servers are started with. */
  public record ServerOptions(
      boolean etcd,
      int nodes,
      int shards,
      int queue,
      int requestMemoryMiB,
      int callsPerConnection,
      int sessionSeconds,
      int commitsInFlight) {
    static ServerOptions draw(SplittableRandom random, boolean etcd) {
      return new ServerOptions(
          etcd,
          random.nextInt(1, 4),
          random.nextInt(1, 5),
          random.nextBoolean() ? random.nextInt(4, 64) : 10_000,
          random.nextBoolean() ? 1 : 64,
          random.nextInt(3) == 0 ? random.nextInt(2, 8) : 1000,
          random.nextInt(2, 11),
          random.nextInt(1, 4));
    }
  }

  public static SwarmOptions draw(Seeds seeds) {
    SplittableRandom random = seeds.random("options");
    SplittableRandom engine = seeds.random("engine");
    Set<String> present = new TreeSet<>();
    OPERATIONS.stream().filter(each -> random.nextBoolean()).forEach(present::add);
    ServerOptions settings = ServerOptions.draw(random, engine.nextInt(4) > 0);
    Set<FaultKind> faults = FaultKind.draw(random, engine, settings);
    return new SwarmOptions(
        present,
        faults,
        settings,
        random.nextInt(2, 9),
        random.nextInt(1, 6),
        random.nextInt(3) == 0 ? 5 : random.nextInt(20, 400),
        random.nextInt(30, 120),
        faults.contains(FaultKind.DRIFT) ? 10_000 : 0);
  }

  public boolean has(String operation) {
    return present.contains(operation);
  }

  /** Well within what servers remember requests for, by whatever clock. */
  long longestRetryMillis() {
    return 9 * 60_000L;
  }
}
