package dev.plinth.simulation;

import dev.plinth.simulation.kernel.RunParts;
import dev.plinth.simulation.workload.RunReport;
import dev.plinth.simulation.workload.WorkloadKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Runs seeds: {@code seed N WORKLOAD} one of them, with its whole trace in a file; {@code shrink N
 * WORKLOAD} one that fails, made small; {@code minutes M FROM [WORKLOAD]} random ones, drawn from
 * FROM, for so long, of one workload or of all by their shares, of which the first that fails and
 * has parts is made small; {@code hashes FROM COUNT WORKLOAD [SECONDS]} prints the hash of each, of
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
          case "seed" -> seed(Long.parseLong(args[1]), WorkloadKind.named(args[2]));
          case "shrink" -> shrink(Long.parseLong(args[1]), WorkloadKind.named(args[2]));
          case "minutes" ->
              minutes(Double.parseDouble(args[1]), Long.parseLong(args[2]), kinds(args));
          case "hashes" -> hashes(Long.parseLong(args[1]), Integer.parseInt(args[2]), run(args));
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

  private static int shrink(long seed, WorkloadKind kind) {
    if (!kind.hasParts()) {
      System.out.println("runs of " + kind + " have no parts, so none is made small");
      return 1;
    }
    if (kind.run(seed).isClean()) {
      System.out.println("seed " + seed + " is clean");
      return 0;
    }
    Shrinker.Shrunk shrunk =
        new Shrinker(parts -> kind.run(seed, parts), MOST_RUNS, MOST_TIME).shrink();
    System.out.println(shrunk.report().shrunk(DIRECTORY));
    System.out.println("shrunk in " + shrunk.runs() + " runs to " + shrunk.size());
    return 1;
  }

  private static LongFunction<RunReport> run(String[] args) {
    WorkloadKind kind = WorkloadKind.named(args[3]);
    if (args.length < 5) {
      return kind::run;
    }
    RunParts parts = RunParts.all().until(Long.parseLong(args[4]) * SECOND_NANOS);
    return seed -> kind.run(seed, parts);
  }

  private static int hashes(long from, int count, LongFunction<RunReport> run) {
    for (long seed = from; seed < from + count; seed++) {
      System.out.println("hash " + seed + " " + Long.toHexString(run.apply(seed).trace().hash()));
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
    boolean shrunk = false;
    while (System.nanoTime() - start < minutes * MINUTE_NANOS) {
      RunReport report = kinds.apply(run++).run(seeds.nextLong() >>> 16);
      report.counts().forEach((name, count) -> counts.merge(name, count, Long::sum));
      counts.merge("runs of " + report.workload(), 1L, Long::sum);
      counts.merge("virtual seconds", report.nanos() / 1_000_000_000L, Long::sum);
      if (!report.isClean()) {
        failed++;
        System.out.println(report.failure(DIRECTORY));
        if (!shrunk && report.workload().hasParts()) {
          shrunk = true;
          shrink(report.seed(), report.workload());
        }
      }
    }
    System.out.println(run + " seeds, " + failed + " with violations");
    counts.forEach((name, count) -> System.out.println("  " + count + " " + name));
    return failed;
  }
}
