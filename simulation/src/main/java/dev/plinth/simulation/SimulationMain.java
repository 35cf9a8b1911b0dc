package dev.plinth.simulation;

import dev.plinth.simulation.workload.RunReport;
import dev.plinth.simulation.workload.WorkloadKind;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Runs seeds: {@code seed N WORKLOAD} one of them, with its whole trace in a file; {@code minutes M
 * FROM [WORKLOAD]} random ones, drawn from FROM, for so long, of one workload or of all by their
 * shares; {@code hashes FROM COUNT WORKLOAD} prints the hash of each.
 */
public final class SimulationMain {
  private static final Path DIRECTORY = Path.of("build", "simulation");
  private static final Logger ROOT = Logger.getLogger("");
  private static final long MINUTE_NANOS = 60_000_000_000L;

  private SimulationMain() {}

  public static void main(String[] args) {
    // One seed shows what the servers log; many would bury everything else.
    ROOT.setLevel(args[0].equals("seed") ? Level.SEVERE : Level.OFF);
    int failed =
        switch (args[0]) {
          case "seed" -> seed(Long.parseLong(args[1]), WorkloadKind.named(args[2]));
          case "minutes" ->
              minutes(Double.parseDouble(args[1]), Long.parseLong(args[2]), kinds(args));
          case "hashes" ->
              hashes(
                  Long.parseLong(args[1]), Integer.parseInt(args[2]), WorkloadKind.named(args[3]));
          default -> throw new IllegalArgumentException(args[0]);
        };
    System.exit(failed == 0 ? 0 : 1);
  }

  private static IntFunction<WorkloadKind> kinds(String[] args) {
    return args.length < 4 ? WorkloadKind::ofTurn : turn -> WorkloadKind.named(args[3]);
  }

  private static int seed(long seed, WorkloadKind kind) {
    RunReport report = kind.run(seed);
    if (report.isClean()) {
      Path file = report.write(DIRECTORY);
      System.out.println("seed " + seed + " is clean; its trace is in " + file.toAbsolutePath());
      System.out.println(report.options());
      report.counts().forEach((name, count) -> System.out.println("  " + count + " " + name));
      return 0;
    }
    System.out.println(report.failure(DIRECTORY));
    return 1;
  }

  private static int hashes(long from, int count, WorkloadKind kind) {
    for (long seed = from; seed < from + count; seed++) {
      System.out.println("hash " + seed + " " + Long.toHexString(kind.run(seed).trace().hash()));
    }
    System.out.println("done");
    return 0;
  }

  private static int minutes(double minutes, long from, IntFunction<WorkloadKind> kinds) {
    SplittableRandom seeds = new SplittableRandom(from);
    Map<String, Long> counts = new TreeMap<>();
    long start = System.nanoTime();
    int failed = 0;
    int run = 0;
    while (System.nanoTime() - start < minutes * MINUTE_NANOS) {
      RunReport report = kinds.apply(run++).run(seeds.nextLong() >>> 16);
      report.counts().forEach((name, count) -> counts.merge(name, count, Long::sum));
      counts.merge("runs of " + report.workload(), 1L, Long::sum);
      counts.merge("virtual seconds", report.nanos() / 1_000_000_000L, Long::sum);
      if (!report.isClean()) {
        failed++;
        System.out.println(report.failure(DIRECTORY));
      }
    }
    System.out.println(run + " seeds, " + failed + " with violations");
    counts.forEach((name, count) -> System.out.println("  " + count + " " + name));
    return failed;
  }
}
