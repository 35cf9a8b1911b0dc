package dev.plinth.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.simulation.kernel.RunParts;
import dev.plinth.simulation.workload.LeaseRun;
import dev.plinth.simulation.workload.RunReport;
import dev.plinth.testkit.JavaProcess;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulationTest {
  private static final int SEEDS = 20;
  private static final int TWICE = 10;
  private static final int SECONDS = 15;
  private static final Logger ROOT = Logger.getLogger("");

  @BeforeAll
  static void silence() {
    ROOT.setLevel(Level.OFF);
  }

  @Test
  void fixedSeeds_violateNothing() {
    long answered = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      RunReport report = LeaseRun.of(seed);
      if (!report.isClean()) {
        throw new AssertionError(report.failure(Path.of("build", "simulation")));
      }
      answered += report.count("answered");
    }
    assertTrue(answered > 100 * SEEDS, answered + " answers");
  }

  /** Many more by {@code ./gradlew :simulation:determinism}. */
  @Test
  void fixedSeeds_leaveTheSameTracesInAnotherJvm(@TempDir Path directory) {
    RunParts parts = RunParts.all().until(SECONDS * 1_000_000_000L);
    try (JavaProcess other =
        JavaProcess.start(
            directory, SimulationMain.class, "hashes", "1", "" + TWICE, "leases", "" + SECONDS)) {
      for (long seed = 1; seed <= TWICE; seed++) {
        String here = Long.toHexString(LeaseRun.of(seed, parts).trace().hash());
        String there = other.awaitLine("hash " + seed + " (\\w+)$").group(1);
        assertEquals(there, here, "seed " + seed);
      }
    }
  }
}
