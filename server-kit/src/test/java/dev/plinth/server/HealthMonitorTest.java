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

class HealthMonitorTest {
  private final ManualClock clock = new ManualClock();
  private final HealthMonitor healthMonitor = new HealthMonitor(clock);
  private final SwitchedEngine rows = new SwitchedEngine("rows");
  private final SwitchedEngine budgets = new SwitchedEngine("budgets");

  @BeforeEach
  void add() {
    healthMonitor.add("scheduler", List.of(rows));
    healthMonitor.add("limits", List.of(budgets, rows));
    healthMonitor.add("admin", List.of());
    healthMonitor.refresh();
  }

  @Test
  void troubleOfOneEngine_stopsOnlyTheServicesThatNeedIt() {
    budgets.fail("away");
    healthMonitor.refresh();
    assertTrue(serving("scheduler"));
    assertFalse(serving("limits"));
    assertTrue(serving("admin"));
    assertFalse(healthMonitor.isServing());
  }

  @Test
  void health_followsItsEngineDownAndUp_asOftenAsItFlaps() {
    for (int i = 0; i < 3; i++) {
      rows.fail("away");
      healthMonitor.refresh();
      assertFalse(healthMonitor.isServing());
      rows.recover();
      healthMonitor.refresh();
      assertTrue(healthMonitor.isServing());
      assertTrue(serving("scheduler"));
    }
  }

  @Test
  void engineThatIsNotEssential_isReported_andStopsNobody() {
    SwitchedEngine hints = new SwitchedEngine("hints", false);
    healthMonitor.add("guesses", List.of(hints));
    hints.fail("away");
    healthMonitor.refresh();
    assertTrue(serving("guesses"));
    assertTrue(healthMonitor.isServing());
    assertTrue(
        healthMonitor.engines().stream().anyMatch(r -> r.trouble().equals(Optional.of("away"))));
  }

  @Test
  void engineReport_keepsWhyAndSinceWhen() {
    clock.advance(Duration.ofSeconds(5));
    rows.fail("away");
    healthMonitor.refresh();
    clock.advance(Duration.ofSeconds(5));
    rows.fail("still away");
    healthMonitor.refresh();
    HealthMonitor.EngineReport report =
        healthMonitor.engines().stream().filter(r -> r.engine() == rows).findFirst().orElseThrow();
    assertEquals(Optional.of("still away"), report.trouble());
    assertEquals(clock.instant().minusSeconds(5), report.since());
  }

  @Test
  void engineThatCannotBeAsked_isDown_andTheOthersAreStillAsked() {
    rows.breakDown();
    budgets.fail("away");
    healthMonitor.refresh();
    assertEquals(2, healthMonitor.engines().stream().filter(r -> r.trouble().isPresent()).count());
  }

  @Test
  void drain_isFinal() {
    healthMonitor.drain();
    healthMonitor.refresh();
    assertFalse(healthMonitor.isServing());
    assertFalse(serving("admin"));
  }

  private boolean serving(String service) {
    return healthMonitor.services().stream()
        .filter(report -> report.name().equals(service))
        .findFirst()
        .orElseThrow()
        .serving();
  }
}
