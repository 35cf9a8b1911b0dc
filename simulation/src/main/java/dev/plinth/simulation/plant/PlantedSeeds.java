package dev.plinth.simulation.plant;

import dev.plinth.simulation.Shrinker;
import dev.plinth.simulation.workload.CheckerName;
import dev.plinth.simulation.workload.RunReport;
import dev.plinth.simulation.workload.WorkloadKind;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Runs seeds of a workload, {@code WORKLOAD FROM} up to {@code TO} without it, and ends after the
 * first with a violation; or makes one small that fails: {@code shrink WORKLOAD SEED SECONDS}. It
 * does not outlive its standard input.
 */
public final class PlantedSeeds {
  static final String FOUND = "found ";
  static final String CLEAN = "clean ";
  static final String SHRINK = "shrink";
  static final String SHRUNK = "shrunk ";
  private static final int MOST_RUNS = 600;
  private static final Logger ROOT = Logger.getLogger("");
  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(60);

  private PlantedSeeds() {}

  public static void main(String[] args) {
    ROOT.setLevel(Level.OFF);
    AtomicLong current = new AtomicLong();
    AtomicLong since = new AtomicLong(System.nanoTime());
    daemon(PlantedSeeds::awaitEndOfInput);
    daemon(() -> awaitStuck(current, since));
    if (args[0].equals(SHRINK)) {
      Duration atMost = Duration.ofSeconds(Long.parseLong(args[3]));
      shrink(WorkloadKind.named(args[1]), Long.parseLong(args[2]), atMost, since);
    }
    WorkloadKind kind = WorkloadKind.named(args[0]);
    long to = Long.parseLong(args[2]);
    for (long seed = Long.parseLong(args[1]); seed < to; seed++) {
      current.set(seed);
      since.set(System.nanoTime());
      RunReport report = kind.run(seed);
      if (!report.isClean()) {
        String violation = report.violations().get(0);
        System.out.println(violation);
        end(seed, CheckerName.of(violation));
      }
      System.out.println(CLEAN + seed);
    }
    Runtime.getRuntime().halt(0);
  }

  private static void shrink(WorkloadKind kind, long seed, Duration atMost, AtomicLong since) {
    Shrinker shrinker =
        new Shrinker(
            parts -> {
              since.set(System.nanoTime());
              return kind.run(seed, parts);
            },
            MOST_RUNS,
            atMost);
    System.out.println(SHRUNK + shrinker.shrink().size());
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  private static void end(long seed, String checker) {
    System.out.println(FOUND + seed + " " + checker);
    System.out.flush();
    Runtime.getRuntime().halt(1);
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "planted-seeds");
    thread.setDaemon(true);
    thread.start();
  }

  private static void awaitEndOfInput() {
    try {
      System.in.transferTo(java.io.OutputStream.nullOutputStream());
    } catch (IOException e) {
      // As good as its end.
    }
    Runtime.getRuntime().halt(2);
  }

  /** A fault may keep the simulation from ever coming to an end of a seed. */
  private static void awaitStuck(AtomicLong current, AtomicLong since) {
    while (System.nanoTime() - since.get() < STUCK_NANOS) {
      try {
        TimeUnit.SECONDS.sleep(1);
      } catch (InterruptedException e) {
        return;
      }
    }
    end(current.get(), "end of the run");
  }
}
