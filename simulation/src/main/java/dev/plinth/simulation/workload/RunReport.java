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

  /** What clients asked for. */
  public long operations() {
    return count("operations") + count("watches") + count("snapshots");
  }

  public boolean isClean() {
    return violations.isEmpty();
  }

  /** All that is needed to find out why. */
  public String failure(Path directory) {
    return failure(write(directory), "");
  }

  /** The same of a run that was made small. */
  public String shrunk(Path directory) {
    return failure(write(directory, "-shrunk"), " -Pshrink");
  }

  private String failure(Path file, String option) {
    return ("commit %s, seed %d violates: %s\noptions: %s\nlast lines (all in %s):\n%s\n"
            + "%d operations, %d faults; again: ./gradlew sim -Pworkload=%s -Pseed=%d%s")
        .formatted(
            System.getProperty("plinth.commit", "of the working tree"),
            seed,
            String.join("\n  ", violations),
            options,
            file.toAbsolutePath(),
            String.join("\n", trace.last()),
            operations(),
            count("faults"),
            workload,
            seed,
            option);
  }

  /** The whole trace, to a file of its own. */
  public Path write(Path directory) {
    return write(directory, "");
  }

  private Path write(Path directory, String ending) {
    Path file = directory.resolve(workload + "-" + seed + ending + ".txt");
    trace.write(file);
    return file;
  }

  public static String stack(Throwable thrown) {
    StringWriter stack = new StringWriter();
    thrown.printStackTrace(new PrintWriter(stack));
    return stack.toString();
  }
}
