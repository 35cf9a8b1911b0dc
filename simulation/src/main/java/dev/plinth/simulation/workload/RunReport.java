package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.Trace;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a seed did.
 *
 * @param violations what must not be; empty mostly
 * @param counts of operations, faults, answers
 * @param nanos of virtual time
 */
public record RunReport(
    long seed,
    String options,
    Trace trace,
    List<String> violations,
    Map<String, Long> counts,
    long nanos) {

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
    return failure(directory.resolve("seed-" + seed + ".txt"), "");
  }

  /** The same of a run that was made small. */
  public String shrunk(Path directory) {
    return failure(directory.resolve("seed-" + seed + "-shrunk.txt"), " -Pshrink");
  }

  private String failure(Path file, String option) {
    trace.write(file);
    return ("commit %s, seed %d violates: %s\noptions: %s\nlast lines (all in %s):\n%s\n"
            + "%d operations, %d faults; again: ./gradlew sim -Pseed=%d%s")
        .formatted(
            System.getProperty("plinth.commit", "of the working tree"),
            seed,
            String.join("\n  ", violations),
            options,
            file.toAbsolutePath(),
            String.join("\n", trace.last()),
            operations(),
            count("faults"),
            seed,
            option);
  }

  static String stack(Throwable thrown) {
    StringWriter stack = new StringWriter();
    thrown.printStackTrace(new PrintWriter(stack));
    return stack.toString();
  }
}
