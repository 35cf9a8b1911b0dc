package dev.plinth.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.simulation.workload.RunReport;
import dev.plinth.simulation.workload.WorkloadKind;
import dev.plinth.testkit.JavaProcess;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fixed seeds of the workloads that have clients of their own. */
class WorkloadsTest {
  private static final int SEEDS = 8;
  private static final int TWICE = 2;
  private static final Logger ROOT = Logger.getLogger("");

  @BeforeAll
  static void silence() {
    ROOT.setLevel(Level.OFF);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEASES")
  void fixedSeeds_violateNothing_andLeaveTheSameTracesInAnotherJvm(
      WorkloadKind kind, @TempDir Path directory) {
    try (JavaProcess other =
        JavaProcess.start(
            directory, SimulationMain.class, "hashes", "1", "" + TWICE, kind.toString())) {
      long operations = 0;
      for (long seed = 1; seed <= SEEDS; seed++) {
        RunReport report = kind.run(seed);
        if (!report.isClean()) {
          throw new AssertionError(report.failure(Path.of("build", "simulation")));
        }
        operations += report.count("operations");
        if (seed <= TWICE) {
          String there = other.awaitLine("hash " + seed + " (\\w+)$").group(1);
          assertEquals(there, Long.toHexString(report.trace().hash()), "seed " + seed);
        }
      }
      assertTrue(operations > 100 * SEEDS, operations + " operations");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {246951701174070L, 113755907621206L})
  void candidateThatGaveUp_mayStandAgainAtOnce(long seed) {
    RunReport report = WorkloadKind.CLIENTS.run(seed);
    assertTrue(report.isClean(), () -> report.failure(Path.of("build", "simulation")));
  }

  @Test
  void everyWorkload_hasItsShareOfTheTurns() {
    for (WorkloadKind kind : WorkloadKind.values()) {
      boolean found = false;
      for (int turn = 0; turn < 20; turn++) {
        found |= WorkloadKind.ofTurn(turn) == kind;
      }
      assertTrue(found, kind.toString());
    }
  }
}
