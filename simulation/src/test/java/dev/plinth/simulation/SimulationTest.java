package dev.plinth.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
  private static final int SEEDS = 40;
  private static final int TWICE = 10;
  private static final Logger ROOT = Logger.getLogger("");

  @BeforeAll
  static void silence() {
    ROOT.setLevel(Level.OFF);
  }

  @Test
  void fixedSeeds_violateNothing_andLeaveTheSameTracesInAnotherJvm(@TempDir Path directory) {
    try (JavaProcess other =
        JavaProcess.start(directory, SimulationMain.class, "hashes", "1", "" + TWICE, "leases")) {
      long answered = 0;
      for (long seed = 1; seed <= SEEDS; seed++) {
        RunReport report = LeaseRun.of(seed);
        if (!report.isClean()) {
          throw new AssertionError(report.failure(Path.of("build", "simulation")));
        }
        answered += report.count("answered");
        if (seed <= TWICE) {
          String there = other.awaitLine("hash " + seed + " (\\w+)$").group(1);
          assertEquals(there, Long.toHexString(report.trace().hash()), "seed " + seed);
        }
      }
      assertTrue(answered > 100 * SEEDS, answered + " answers");
    }
  }
}
