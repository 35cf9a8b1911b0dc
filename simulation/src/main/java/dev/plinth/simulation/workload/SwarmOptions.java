package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.Seeds;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * What a seed drew before its run began: first how many of the operations and of the faults there
 * are, then which. So some runs are full of what in others would be rare, and some have everything
 * that a coincidence needs.
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
          "spread",
          "probes",
          "queues",
          "anonymous",
          "graces",
          "reused-ids");

  private static final String CALM = "calm";

  /** How likely each operation, or fault, is to exist. */
  private static final double[] DENSITIES = {0.35, 0.6, 0.85, 1};

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
          random.nextInt(6) == 0 ? 1 : random.nextInt(2, 4),
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
    double density = density(random);
    OPERATIONS.stream().filter(each -> random.nextDouble() < density).forEach(present::add);
    if (random.nextInt(4) == 0) {
      // Little runs out by time, so a node that was deposed has nothing to do by which to notice.
      present.add(CALM);
      present.removeAll(Set.of("sessions", "lock-delays", "graces"));
    }
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

  static double density(SplittableRandom random) {
    return DENSITIES[random.nextInt(DENSITIES.length)];
  }

  boolean isCalm() {
    return present.contains(CALM);
  }

  public boolean has(String operation) {
    return present.contains(operation);
  }

  /** Well within what servers remember requests for, by whatever clock. */
  long longestRetryMillis() {
    return 9 * 60_000L;
  }
}
