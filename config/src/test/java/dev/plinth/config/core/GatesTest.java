package dev.plinth.config.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.registry.core.SessionKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rollouts that stop by themselves. */
class GatesTest extends ConfigCoreTest {
  private static RolloutGates gates(int rejections, double unacked, double deaths, boolean abort) {
    return new RolloutGates(rejections, ACK_TIMEOUT, unacked, deaths, abort);
  }

  private void begin(int count, RolloutGates gates) {
    established(count);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, HALVES, gates);
  }

  private FakeAgent reached(int index) {
    return agents.get(List.copyOf(received(2)).get(index));
  }

  @Test
  void C6_rejection_pausesIt_andNobodyElseGetsIt() {
    begin(20, RolloutGates.DEFAULT);
    Set<String> reached = received(2);
    reject(reached(0), "no such key");
    assertEquals(RolloutPhase.PAUSED, phase());
    assertTrue(rollout().progress().reason().contains("no such key"));
    assertEquals("no such key", rollout().history().rejections().get(0).error());
    applyAll();
    for (int i = 100; i < 140; i++) {
      connect("agent-" + i);
    }
    clock.advance(Duration.ofHours(1));
    assertEquals(reached, received(2));
    assertEquals(List.of(RolloutGate.REJECTIONS), events.gates);
  }

  @Test
  void C6_betweenTheRejectionAndTheCommitOfThePause_nobodyIsSentIt() {
    begin(20, RolloutGates.DEFAULT);
    Set<String> reached = received(2);
    FakeAgent one = reached(0);
    one.reject("no")
        .forEach(ack -> configs.agents().ack(SPACE, one.name, one.link, ack, tx.next()));
    // No timer has run: the store may take no writes just now.
    for (int i = 100; i < 140; i++) {
      FakeAgent late = new FakeAgent("agent-" + i);
      FakeAgent.Link link = late.new Link();
      configs.agents().connect(SPACE, late.hello(), link, tx.next());
      assertTrue(late.received.stream().noneMatch(each -> each.order().generation() == 2));
    }
    assertEquals(RolloutPhase.RUNNING, phase());
    clock.runDue();
    assertEquals(RolloutPhase.PAUSED, phase());
    assertEquals(reached, received(2));
  }

  @Test
  void C8_rejectedGeneration_isNotSentAgain_aLaterOneIs() {
    begin(4, gates(10, 0, 0, false));
    applyAll();
    clock.advance(Duration.ofSeconds(62));
    FakeAgent one = agents.get("agent-0");
    if (one.generation(LIMITS) == 1) {
      reject(one, "no");
    } else {
      one = agents.get(received(2).stream().filter(n -> running(1).contains(n)).findFirst().get());
      reject(one, "no");
    }
    applyAll();
    assertEquals(RolloutPhase.DONE, phase());
    int before = one.received.size();
    disconnect(one);
    connect(one);
    clock.advance(Duration.ofMinutes(5));
    assertEquals(before, one.received.size());
    takeOver();
    connect(one);
    clock.advance(Duration.ofMinutes(5));
    assertEquals(before, one.received.size());
    assertEquals(1, one.generation(LIMITS));
    put(LIMITS, 2, "three");
    start(LIMITS, 3, RolloutStage.atOnce());
    apply(one);
    assertEquals(3, one.generation(LIMITS));
  }

  @Test
  void rejections_belowTheLimit_areNotWaitedFor() {
    begin(20, gates(1, 0, 0, false));
    reject(reached(0), "no");
    applyAll();
    assertEquals(RolloutPhase.BAKING, phase());
    assertEquals(1, rollout().agents().rejected());
  }

  @Test
  void rejections_areCountedOverATakeover_onceForEachAgent() {
    begin(20, gates(1, 0, 0, false));
    reject(reached(0), "no");
    clock.advance(Duration.ofSeconds(2));
    takeOver();
    agents.values().forEach(this::connect);
    assertEquals(1, rollout().agents().rejected());
    assertEquals(RolloutPhase.RUNNING, phase());
    FakeAgent second =
        agents.values().stream()
            .filter(agent -> agent.link != null && !agent.link.unanswered.isEmpty())
            .findFirst()
            .get();
    reject(second, "no");
    assertEquals(RolloutPhase.PAUSED, phase());
  }

  @Test
  void resume_forgivesWhatWasCounted() {
    begin(20, RolloutGates.DEFAULT);
    reject(reached(0), "no");
    long generation = rollout().target().generation();
    configs.rollouts().resume(action(generation), tx.next());
    clock.runDue();
    applyAll();
    assertEquals(RolloutPhase.BAKING, phase());
    reject(connect("agent-0"), "");
    clock.advance(Duration.ofSeconds(62));
    FakeAgent second =
        agents.values().stream().filter(each -> !each.link.unanswered.isEmpty()).findFirst().get();
    reject(second, "no");
    assertEquals(RolloutPhase.PAUSED, phase());
  }

  @Test
  void onFailureAbort_bringsBackWhatWasThere() {
    begin(20, gates(0, 0, 0, true));
    FakeAgent one = reached(0);
    applyAllBut(one);
    reject(one, "no");
    assertEquals(RolloutPhase.ABORTED, phase());
    applyAll();
    assertEquals(agents.keySet(), running(3));
  }

  private void applyAllBut(FakeAgent one) {
    agents.values().stream()
        .filter(agent -> agent != one && agent.link != null)
        .forEach(this::apply);
    clock.advance(Duration.ofMillis(50));
  }

  @Test
  void missingAck_pausesIt_afterTheTimeout() {
    begin(20, RolloutGates.DEFAULT);
    applyAllBut(reached(0));
    clock.advance(ACK_TIMEOUT.minusSeconds(1));
    assertEquals(RolloutPhase.RUNNING, phase());
    clock.advance(Duration.ofSeconds(2));
    assertEquals(RolloutPhase.PAUSED, phase());
    assertEquals(1, rollout().agents().counts().unacked());
    assertEquals(List.of(RolloutGate.UNACKED), events.gates);
  }

  @Test
  void missingAck_ofAnAgentThatComesBackAgainAndAgain_isSeen() {
    begin(20, RolloutGates.DEFAULT);
    FakeAgent one = reached(0);
    applyAllBut(one);
    for (int i = 0; i < 7; i++) {
      disconnect(one);
      clock.advance(Duration.ofSeconds(4));
      connect(one);
    }
    clock.advance(Duration.ofSeconds(4));
    assertEquals(RolloutPhase.PAUSED, phase());
  }

  @Test
  void missingAcks_belowTheRatio_areNotWaitedFor() {
    begin(20, gates(0, 0.5, 0, false));
    applyAllBut(reached(0));
    clock.advance(ACK_TIMEOUT.plusSeconds(2));
    assertEquals(RolloutPhase.BAKING, phase());
  }

  @Test
  void agentsThatAreAway_areNotWaitedFor_andGetItWhenTheyComeBack() {
    established(4);
    agents.values().forEach(this::disconnect);
    put(LIMITS, 1, "two");
    start(LIMITS, 2, RolloutStage.atOnce());
    assertEquals(RolloutPhase.DONE, phase());
    assertEquals(4, rollout().agents().counts().unreachable());
    agents.values().forEach(this::connect);
    applyAll();
    assertEquals(agents.keySet(), running(2));
  }

  private static SessionKey session(FakeAgent agent) {
    return new SessionKey(SPACE, "s-" + agent.name, 1);
  }

  private void withSessions() {
    for (FakeAgent agent : agents.values()) {
      agent.session = Optional.of(session(agent));
      connect(agent);
    }
    applyAll();
  }

  private void die(FakeAgent agent) {
    disconnect(agent);
    configs.agents().sessionEnded(session(agent), true, tx.next());
    clock.runDue();
  }

  @Test
  void deaths_ofAgentsThatApplied_pauseIt() {
    established(20);
    withSessions();
    put(LIMITS, 1, "two");
    start(LIMITS, 2, HALVES);
    applyAll();
    assertEquals(RolloutPhase.BAKING, phase());
    die(reached(0));
    assertEquals(RolloutPhase.PAUSED, phase());
    assertEquals(List.of(RolloutGate.DEATHS), events.gates);
    assertTrue(rollout().progress().reason().contains("died"), rollout().progress().reason());
  }

  @Test
  void deaths_ofAllAlike_doNotPauseIt() {
    established(40);
    withSessions();
    put(LIMITS, 1, "two");
    start(LIMITS, 2, HALVES, gates(0, 0, 0, false));
    applyAll();
    List<String> given = List.copyOf(received(2));
    List<String> others = agents.keySet().stream().filter(name -> !given.contains(name)).toList();
    for (int i = 0; i < 3; i++) {
      die(agents.get(others.get(i)));
    }
    die(agents.get(given.get(0)));
    assertEquals(RolloutPhase.BAKING, phase());
    assertEquals(1, rollout().agents().deaths());
    assertEquals(3, rollout().agents().otherDeaths());
  }

  @Test
  void closedSession_isNoDeath_andTheAgentIsForgotten() {
    established(20);
    withSessions();
    put(LIMITS, 1, "two");
    start(LIMITS, 2, HALVES);
    applyAll();
    FakeAgent one = reached(0);
    disconnect(one);
    configs.agents().sessionEnded(session(one), false, tx.next());
    clock.runDue();
    assertEquals(RolloutPhase.BAKING, phase());
    assertEquals(19, events.agents);
    assertEquals(0, rollout().agents().deaths());
  }

  @Test
  void deaths_areKnownAfterATakeover() {
    established(20);
    withSessions();
    put(LIMITS, 1, "two");
    start(LIMITS, 2, HALVES, gates(0, 0, 0.9, false));
    applyAll();
    die(reached(0));
    takeOver();
    assertEquals(1, rollout().agents().deaths());
  }
}
