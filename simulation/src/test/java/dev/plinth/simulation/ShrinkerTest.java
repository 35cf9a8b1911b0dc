package dev.plinth.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.simulation.kernel.RunParts;
import dev.plinth.simulation.kernel.Trace;
import dev.plinth.simulation.workload.RunReport;
import dev.plinth.simulation.workload.WorkloadKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
  private static final String GRACE = "grace spent: client2";
  private static final int RUNS = 1000;

  /** Thirty faults, and four clients with ten turns of three steps each. */
  private static RunReport run(RunParts parts, Function<RunParts, List<String>> violations) {
    long faults = IntStream.range(0, 30).filter(i -> parts.has("fault " + i)).count();
    long steps = 0;
    for (int client = 0; client < 4; client++) {
      String name = "client" + client;
      if (parts.has(name + " exists")) {
        for (int turn = 0; turn < 10; turn++) {
          String in = name + " turn " + turn;
          if (parts.has(in)) {
            steps += IntStream.range(0, 3).filter(i -> parts.has(in + " step " + i)).count();
          }
        }
      }
    }
    return new RunReport(
        WorkloadKind.LEASES,
        1,
        "",
        new Trace(),
        violations.apply(parts),
        Map.of("faults", faults, "operations", steps),
        60_000_000_000L);
  }

  private static Shrinker.Shrunk shrink(Function<RunParts, List<String>> violations) {
    return new Shrinker(parts -> run(parts, violations), RUNS, Duration.ofSeconds(30)).shrink();
  }

  private static boolean met(RunParts parts, String... names) {
    return parts.met().containsAll(List.of(names));
  }

  @Test
  void whatTheFailureDoesNotNeed_isLeftOut() {
    Shrinker.Shrunk shrunk =
        shrink(
            parts ->
                met(parts, "fault 7", "fault 21", "client2 turn 5 step 1", "client0 turn 9 step 2")
                    ? List.of(GRACE)
                    : List.of());
    assertEquals("2 operations, 2 faults", shrunk.size());
    assertEquals(List.of(GRACE), shrunk.report().violations());
  }

  @Test
  void runThatFailsByAnotherChecker_isNotTaken() {
    Shrinker.Shrunk shrunk =
        shrink(
            parts ->
                List.of(
                    met(parts, "fault 3", "client1 turn 1 step 0") ? GRACE : "no answer to it"));
    assertEquals("1 operations, 1 faults", shrunk.size());
    assertEquals(List.of(GRACE), shrunk.report().violations());
  }

  @Test
  void runThatNeedsAllOfIt_staysWhole() {
    Shrinker.Shrunk shrunk =
        shrink(parts -> parts.met().size() == 30 + 4 * 41 ? List.of(GRACE) : List.of());
    assertEquals("120 operations, 30 faults", shrunk.size());
    assertTrue(shrunk.runs() <= RUNS, shrunk.runs() + " runs");
  }

  @Test
  void runThatDoesNotFail_cannotBeShrunk() {
    assertThrows(IllegalArgumentException.class, () -> shrink(parts -> List.of()));
  }
}
