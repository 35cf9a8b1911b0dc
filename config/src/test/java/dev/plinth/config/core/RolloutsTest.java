package dev.plinth.config.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.core.LabelFilter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Stages, and what operators do. */
class RolloutsTest extends ConfigCoreTest {
  @Test
  void stage_reachesItsPartOfAgents_andTheNextOneAddsTheRest() {
    established(40);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, HALVES);
    Set<String> first = received(2);
    assertTrue(first.size() > 8 && first.size() < 32, first.size() + " of 40");
    applyAll();
    assertEquals(RolloutPhase.BAKING, phase());
    clock.advance(Duration.ofSeconds(59));
    assertEquals(first, received(2));
    clock.advance(Duration.ofSeconds(2));
    assertEquals(agents.keySet(), received(2));
    assertEquals(RolloutPhase.RUNNING, phase());
    applyAll();
    assertEquals(RolloutPhase.DONE, phase());
    assertEquals(agents.keySet(), running(2));
  }

  @Test
  void partialRollout_isNotDone_beforeEveryAgentItIsForHasAnswered() {
    established(5);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, RolloutStage.atOnce());
    FakeAgent last = agents.get("agent-4");
    agents.values().stream().filter(agent -> agent != last).forEach(this::apply);
    clock.advance(Duration.ofSeconds(20));
    assertEquals(RolloutPhase.RUNNING, phase());
    assertEquals(4, rollout().agents().counts().applied());
    assertEquals(1, rollout().agents().counts().sent());
    deliver(last, last.stage());
    clock.advance(Duration.ofSeconds(5));
    assertEquals(1, rollout().agents().counts().staged());
    assertEquals(RolloutPhase.RUNNING, phase());
    apply(last);
    clock.advance(Duration.ofSeconds(1));
    assertEquals(RolloutPhase.DONE, phase());
    assertEquals(5, rollout().agents().counts().targeted());
  }

  @Test
  void manualStage_waitsToBeAdvanced() {
    established(10);
    put(LIMITS, 1, "two");
    RolloutStage manual = new RolloutStage(new StageTarget.Percent(5000), Duration.ZERO, true);
    long generation = start(LIMITS, 2, List.of(manual, HALVES.get(1))).target().generation();
    applyAll();
    assertEquals(RolloutPhase.WAITING, phase());
    clock.advance(Duration.ofHours(1));
    assertEquals(RolloutPhase.WAITING, phase());
    configs.rollouts().advance(action(generation), tx.next());
    clock.runDue();
    assertEquals(agents.keySet(), received(2));
  }

  @Test
  void labels_chooseTheAgentsOfAStage() {
    established(0);
    FakeAgent canary = connect(new FakeAgent("c").labelled("zone", "canary"));
    FakeAgent other = connect(new FakeAgent("o").labelled("zone", "a"));
    applyAll();
    put(LIMITS, 1, "two");
    StageTarget zone =
        new StageTarget.Labels(List.of(new LabelFilter("zone", Set.of("canary"), false)));
    start(LIMITS, 2, List.of(new RolloutStage(zone, Duration.ofSeconds(60), false), HALVES.get(1)));
    applyAll();
    assertEquals(2, canary.generation(LIMITS));
    assertEquals(1, other.generation(LIMITS));
  }

  @Test
  void count_choosesSoMany_andAnotherOnlyForOneThatIsGone() {
    established(10);
    put(LIMITS, 1, "two");
    RolloutStage three = new RolloutStage(new StageTarget.Count(3), Duration.ofHours(1), false);
    start(LIMITS, 2, List.of(three, HALVES.get(1)));
    clock.advance(Duration.ofSeconds(2));
    Set<String> chosen = received(2);
    assertEquals(3, chosen.size());
    applyAll();
    FakeAgent one = agents.get(chosen.iterator().next());
    disconnect(one);
    clock.advance(Duration.ofMinutes(9));
    assertEquals(chosen, received(2));
    connect(one);
    assertEquals(chosen, received(2));
    disconnect(one);
    clock.advance(Agents.REMEMBERED.plusSeconds(2));
    Set<String> more = new TreeSet<>(received(2));
    more.removeAll(chosen);
    assertEquals(1, more.size());
  }

  @Test
  void count_isTheSameAfterATakeover_alsoBeforeAgentsAreBack() {
    established(10);
    put(LIMITS, 1, "two");
    RolloutStage three = new RolloutStage(new StageTarget.Count(3), Duration.ofHours(1), false);
    start(LIMITS, 2, List.of(three, HALVES.get(1)));
    clock.advance(Duration.ofSeconds(2));
    applyAll();
    Set<String> chosen = received(2);
    takeOver();
    agents.values().stream().filter(agent -> !chosen.contains(agent.name)).forEach(this::connect);
    clock.advance(Duration.ofSeconds(20));
    agents.values().stream().filter(agent -> chosen.contains(agent.name)).forEach(this::connect);
    clock.advance(Duration.ofMinutes(2));
    assertEquals(chosen, received(2));
  }

  @Test
  void C7_abort_bringsBackTheContent_asALaterGeneration() {
    established(20);
    put(LIMITS, 1, "two");
    long generation = start(LIMITS, 2, HALVES).target().generation();
    applyAll();
    RolloutView aborted = configs.rollouts().abort(action(generation), tx.next());
    clock.runDue();
    applyAll();
    assertEquals(RolloutPhase.ABORTED, aborted.progress().phase());
    assertEquals(3, aborted.progress().abortGeneration());
    assertEquals(agents.keySet(), running(3));
    String one = configs.documents().get(NAME, 1).revision().content().hash();
    agents.values().forEach(agent -> assertEquals(one, agent.content.get(LIMITS).get(LIMITS)));
    refused(
        ErrorReason.ERROR_REASON_ROLLOUT_OVER,
        () -> configs.rollouts().abort(action(generation), tx.next()));
  }

  @Test
  void abort_sendsNoContent_toAgentsThatHaveIt() {
    established(20);
    put(LIMITS, 1, "two");
    long generation = start(LIMITS, 2, HALVES).target().generation();
    applyAll();
    int reached = running(2).size();
    long before = events.bytes;
    configs.rollouts().abort(action(generation), tx.next());
    clock.runDue();
    assertEquals(before + reached * 3L, events.bytes);
  }

  @Test
  void abort_ofTheFirstRollout_withdrawsWhatItBrought() {
    put(LIMITS, 0, "one");
    FakeAgent agent = connect("a");
    long generation = start(LIMITS, 1, RolloutStage.byDefault()).target().generation();
    configs.rollouts().advance(action(generation), tx.next());
    configs.rollouts().advance(action(generation), tx.next());
    configs.rollouts().advance(action(generation), tx.next());
    clock.runDue();
    applyAll();
    assertEquals(1, agent.generation(LIMITS));
    configs.rollouts().abort(action(generation), tx.next());
    clock.runDue();
    applyAll();
    assertEquals(2, agent.generation(LIMITS));
    assertEquals(Map.of(), agent.content.get(LIMITS));
    FakeAgent late = connect("late");
    assertEquals(List.of(), late.received);
    assertEquals(List.of(LIMITS), late.unassigned);
  }

  @Test
  void rollback_isANewGeneration_withTheFormerContent() {
    established(3);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, RolloutStage.atOnce());
    applyAll();
    start(LIMITS, 1, RolloutStage.atOnce());
    applyAll();
    assertEquals(agents.keySet(), running(3));
    String one = configs.documents().get(NAME, 1).revision().content().hash();
    agents.values().forEach(agent -> assertEquals(one, agent.content.get(LIMITS).get(LIMITS)));
  }

  @Test
  void pause_isForNewAgents_thoseThatHaveItKeepIt() {
    established(20);
    put(LIMITS, 1, "two");
    long generation = start(LIMITS, 2, HALVES).target().generation();
    applyAll();
    Set<String> reached = running(2);
    configs.rollouts().pause(action(generation), tx.next());
    clock.runDue();
    for (FakeAgent agent : List.copyOf(agents.values())) {
      disconnect(agent);
      connect(agent);
    }
    for (int i = 100; i < 120; i++) {
      connect("agent-" + i);
    }
    applyAll();
    clock.advance(Duration.ofHours(2));
    assertEquals(reached, running(2));
    refused(
        ErrorReason.ERROR_REASON_ROLLOUT_OVER,
        () -> configs.rollouts().advance(action(generation), tx.next()));
    configs.rollouts().resume(action(generation), tx.next());
    clock.runDue();
    applyAll();
    clock.advance(Duration.ofSeconds(61));
    applyAll();
    assertEquals(agents.keySet(), running(2));
  }

  @Test
  void group_hasOneRolloutAtATime_andActionsNameIt() {
    established(1);
    put(LIMITS, 1, "two");
    long generation = start(LIMITS, 2, HALVES).target().generation();
    refused(ErrorReason.ERROR_REASON_ROLLOUT_ACTIVE, () -> start(LIMITS, 1, HALVES));
    refused(
        ErrorReason.ERROR_REASON_ROLLOUT_UNKNOWN,
        () -> configs.rollouts().pause(action(generation + 1), tx.next()));
    refused(
        ErrorReason.ERROR_REASON_ROLLOUT_OVER,
        () -> configs.rollouts().pause(action(1), tx.next()));
    refused(
        ErrorReason.ERROR_REASON_ROLLOUT_OVER,
        () -> configs.rollouts().resume(action(generation), tx.next()));
    refused(
        ErrorReason.ERROR_REASON_REVISION_CONFLICT,
        () ->
            configs
                .rollouts()
                .pause(new RolloutAction(GROUP, generation, Optional.of(7L), OLGA), tx.next()));
    assertTrue(phase().isDelivering());
  }

  @Test
  void start_refusesWhatIsNotThere() {
    refused(ErrorReason.ERROR_REASON_CONFIG_UNKNOWN, () -> start(LIMITS, 1, HALVES));
    put(LIMITS, 0, "one");
    put("other", 0, "one");
    refused(ErrorReason.ERROR_REASON_REVISION_UNKNOWN, () -> start(LIMITS, 2, HALVES));
    refused(
        ErrorReason.ERROR_REASON_FIELD_INVALID,
        () -> start(Map.of(LIMITS, 1L, "other", 1L), HALVES, RolloutGates.DEFAULT));
    refused(
        ErrorReason.ERROR_REASON_REVISION_CONFLICT,
        () ->
            configs
                .rollouts()
                .start(
                    new RolloutSpec(
                        SPACE,
                        Map.of(LIMITS, 1L),
                        Optional.of(1L),
                        HALVES,
                        RolloutGates.DEFAULT,
                        OLGA),
                    tx.next()));
    refused(ErrorReason.ERROR_REASON_ROLLOUT_UNKNOWN, this::rollout);
  }

  @Test
  void bake_beginsAnewAfterATakeover_whenAgentsHadTimeToComeBack() {
    established(10);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, HALVES);
    applyAll();
    clock.advance(Duration.ofSeconds(59));
    takeOver();
    agents.values().forEach(this::connect);
    clock.advance(Duration.ofSeconds(60).plus(ACK_TIMEOUT).minusSeconds(1));
    assertEquals(RolloutPhase.BAKING, phase());
    clock.advance(Duration.ofSeconds(3));
    assertEquals(agents.keySet(), received(2));
  }

  @Test
  void rollouts_areKeptUpToABound() {
    put(LIMITS, 0, "one");
    for (int i = 0; i < 15; i++) {
      start(LIMITS, 1, RolloutStage.atOnce());
    }
    assertEquals(
        ConfigGroup.MAX_ROLLOUTS,
        tx.rows().keySet().stream().filter(key -> key.startsWith(ConfigRows.ROLLOUTS)).count());
    refused(
        ErrorReason.ERROR_REASON_ROLLOUT_UNKNOWN,
        () -> configs.rollouts().get(GROUP, 5, tx.next()));
    assertEquals(15, rollout().target().generation());
  }

  @Test
  void idleRollout_writesNothing() {
    established(10);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, List.of(RolloutStage.percent(50, Duration.ofHours(1)), HALVES.get(1)));
    applyAll();
    int written = tx.written();
    clock.advance(Duration.ofMinutes(30));
    assertEquals(written, tx.written());
    assertFalse(tx.events().isEmpty());
  }
}
