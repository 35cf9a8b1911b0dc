package dev.plinth.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HealthTest {
  private final ManualClock clock = new ManualClock();
  private final Health health = new Health(clock);
  private final SwitchedEngine rows = new SwitchedEngine("rows");
  private final SwitchedEngine budgets = new SwitchedEngine("budgets");

  @BeforeEach
  void add() {
    health.add("scheduler", List.of(rows));
    health.add("limits", List.of(budgets, rows));
    health.add("admin", List.of());
    health.refresh();
  }

  @Test
  void troubleOfOneEngine_stopsOnlyTheServicesThatNeedIt() {
    budgets.fail("away");
    health.refresh();
    assertTrue(serving("scheduler"));
    assertFalse(serving("limits"));
    assertTrue(serving("admin"));
    assertFalse(health.isServing());
  }

  @Test
  void health_followsItsEngineDownAndUp_asOftenAsItFlaps() {
    for (int i = 0; i < 3; i++) {
      rows.fail("away");
      health.refresh();
      assertFalse(health.isServing());
      rows.recover();
      health.refresh();
      assertTrue(health.isServing());
      assertTrue(serving("scheduler"));
    }
  }

  @Test
  void engineThatIsNotEssential_isReported_andStopsNobody() {
    SwitchedEngine hints = new SwitchedEngine("hints", false);
    health.add("guesses", List.of(hints));
    hints.fail("away");
    health.refresh();
    assertTrue(serving("guesses"));
    assertTrue(health.isServing());
    assertTrue(health.engines().stream().anyMatch(r -> r.trouble().equals(Optional.of("away"))));
  }

  @Test
  void engineReport_keepsWhyAndSinceWhen() {
    clock.advance(Duration.ofSeconds(5));
    rows.fail("away");
    health.refresh();
    clock.advance(Duration.ofSeconds(5));
    rows.fail("still away");
    health.refresh();
    Health.EngineReport report =
        health.engines().stream().filter(r -> r.engine() == rows).findFirst().orElseThrow();
    assertEquals(Optional.of("still away"), report.trouble());
    assertEquals(clock.instant().minusSeconds(5), report.since());
  }

  @Test
  void engineThatCannotBeAsked_isDown_andTheOthersAreStillAsked() {
    rows.breakDown();
    budgets.fail("away");
    health.refresh();
    assertEquals(2, health.engines().stream().filter(r -> r.trouble().isPresent()).count());
  }

  @Test
  void drain_isFinal() {
    health.drain();
    health.refresh();
    assertFalse(health.isServing());
    assertFalse(serving("admin"));
  }

  private boolean serving(String service) {
    return health.services().stream()
        .filter(report -> report.name().equals(service))
        .findFirst()
        .orElseThrow()
        .serving();
  }
}
