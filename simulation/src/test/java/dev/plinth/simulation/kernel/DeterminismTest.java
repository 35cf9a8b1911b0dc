package dev.plinth.simulation.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.JavaProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeterminismTest {
  private static final int SEEDS = 8;

  @Test
  void aSeed_runAgain_leavesTheSameTrace() {
    for (long seed = 0; seed < SEEDS; seed++) {
      assertEquals(EchoWorld.hash(seed), EchoWorld.hash(seed), "seed " + seed);
    }
    assertNotEquals(EchoWorld.hash(1), EchoWorld.hash(2));
  }

  @Test
  void aSeed_inAnotherJvm_leavesTheSameTrace(@TempDir Path directory) {
    try (JavaProcess other = JavaProcess.start(directory, EchoWorld.class, "" + SEEDS)) {
      other.awaitLine("done");
      for (long seed = 0; seed < SEEDS; seed++) {
        String hash = other.awaitLine("hash " + seed + " (-?\\d+)$").group(1);
        assertEquals(EchoWorld.hash(seed), Long.parseLong(hash), "seed " + seed);
      }
    }
  }

  @Test
  void manySimulations_leaveNoThreads() {
    EchoWorld.hash(1);
    int before = BatonThread.created();
    for (int i = 0; i < 6; i++) {
      EchoWorld.hash(1);
    }
    assertTrue(BatonThread.created() - before < 5, "new threads");
  }

  @Test
  void theWorld_getsAnswers() {
    try (Simulation simulation = new Simulation(1)) {
      EchoWorld world = new EchoWorld(simulation);
      world.run();
      simulation.trace().write(Path.of("build", "echo.txt"));
      assertTrue(world.answered > 500, world.answered + " answers");
      assertEquals("[]", simulation.uncaught().toString());
    }
  }
}
