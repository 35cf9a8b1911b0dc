package dev.plinth.simulation;

import dev.plinth.simulation.kernel.RunParts;
import dev.plinth.simulation.workload.LeaseRun;
import dev.plinth.simulation.workload.RunReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Runs seeds: {@code seed N} one of them, with its whole trace in a file; {@code shrink N} one that
 * fails, made small; {@code minutes M FROM} random ones, drawn from FROM, for so long, of which the
 * first that fails is made small; {@code hashes FROM COUNT SECONDS} prints the hash of each, of
 * which clients and faults end after so many virtual seconds.
 */
public final class SimulationMain {
  private static final Path DIRECTORY = Path.of("build", "simulation");
  private static final Logger ROOT = Logger.getLogger("");
  private static final int MOST_RUNS = 300;
  private static final Duration MOST_TIME = Duration.ofSeconds(60);
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long MINUTE_NANOS = 60 * SECOND_NANOS;

  private SimulationMain() {}

  public static void main(String[] args) {
    // One seed shows what the servers log; many would bury everything else.
    ROOT.setLevel(args[0].equals("seed") ? Level.SEVERE : Level.OFF);
    int failed =
        switch (args[0]) {
          case "seed" -> seed(Long.parseLong(args[1]));
          case "shrink" -> shrink(Long.parseLong(args[1]));
          case "minutes" -> minutes(Double.parseDouble(args[1]), Long.parseLong(args[2]));
          case "hashes" ->
              hashes(Long.parseLong(args[1]), Integer.parseInt(args[2]), Long.parseLong(args[3]));
          default -> throw new IllegalArgumentException(args[0]);
        };
    System.exit(failed == 0 ? 0 : 1);
  }

  private static int seed(long seed) {
    RunReport report = LeaseRun.of(seed);
    if (report.isClean()) {
      Path file = DIRECTORY.resolve("seed-" + seed + ".txt");
      report.trace().write(file);
      System.out.println("seed " + seed + " is clean; its trace is in " + file.toAbsolutePath());
      System.out.println(report.options());
      report.counts().forEach((name, count) -> System.out.println("  " + count + " " + name));
      return 0;
    }
    System.out.println(report.failure(DIRECTORY));
    return 1;
  }

  private static int shrink(long seed) {
    if (LeaseRun.of(seed).isClean()) {
      System.out.println("seed " + seed + " is clean");
      return 0;
    }
    Shrinker.Shrunk shrunk =
        new Shrinker(parts -> LeaseRun.of(seed, parts), MOST_RUNS, MOST_TIME).shrink();
    System.out.println(shrunk.report().shrunk(DIRECTORY));
    System.out.println("shrunk in " + shrunk.runs() + " runs to " + shrunk.size());
    return 1;
  }

  private static int hashes(long from, int count, long seconds) {
    RunParts parts = RunParts.all().until(seconds * SECOND_NANOS);
    for (long seed = from; seed < from + count; seed++) {
      RunReport report = LeaseRun.of(seed, parts);
      System.out.println("hash " + seed + " " + Long.toHexString(report.trace().hash()));
    }
    System.out.println("done");
    return 0;
  }

  private static int minutes(double minutes, long from) {
    SplittableRandom seeds = new SplittableRandom(from);
    Map<String, Long> counts = new TreeMap<>();
    long start = System.nanoTime();
    int failed = 0;
    int run = 0;
    while (System.nanoTime() - start < minutes * MINUTE_NANOS) {
      RunReport report = LeaseRun.of(seeds.nextLong() >>> 16);
      run++;
      report.counts().forEach((name, count) -> counts.merge(name, count, Long::sum));
      counts.merge("virtual seconds", report.nanos() / 1_000_000_000L, Long::sum);
      if (!report.isClean()) {
        failed++;
        System.out.println(report.failure(DIRECTORY));
        if (failed == 1) {
          shrink(report.seed());
        }
      }
    }
    System.out.println(run + " seeds, " + failed + " with violations");
    counts.forEach((name, count) -> System.out.println("  " + count + " " + name));
    return failed;
  }
}
