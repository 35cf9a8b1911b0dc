package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.kernel.Trace;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a seed did.
 *
 * @param workload what its clients used
 * @param violations what must not be; empty mostly
 * @param counts of operations, faults, answers
 * @param nanos of virtual time
 */
public record RunReport(
    WorkloadKind workload,
    long seed,
    String options,
    Trace trace,
    List<String> violations,
    Map<String, Long> counts,
    long nanos) {

  /** What a simulation did, with what its clients wrote down. */
  public static RunReport of(
      WorkloadKind workload, long seed, String options, Simulation simulation, WorkloadLog log) {
    return new RunReport(
        workload,
        seed,
        options,
        simulation.trace(),
        log.violations(),
        log.counts(),
        simulation.now());
  }

  public long count(String what) {
    return counts.getOrDefault(what, 0L);
  }

  public boolean isClean() {
    return violations.isEmpty();
  }

  /** All that is needed to find out why. */
  public String failure(Path directory) {
    Path file = write(directory);
    return "commit %s, seed %d violates: %s\noptions: %s\nlast lines (all in %s):\n%s\nagain: ./gradlew sim -Pworkload=%s -Pseed=%d"
        .formatted(
            System.getProperty("plinth.commit", "of the working tree"),
            seed,
            String.join("\n  ", violations),
            options,
            file.toAbsolutePath(),
            String.join("\n", trace.last()),
            workload,
            seed);
  }

  /** The whole trace, to a file of its own. */
  public Path write(Path directory) {
    Path file = directory.resolve(workload + "-" + seed + ".txt");
    trace.write(file);
    return file;
  }

  public static String stack(Throwable thrown) {
    StringWriter stack = new StringWriter();
    thrown.printStackTrace(new PrintWriter(stack));
    return stack.toString();
  }
}
