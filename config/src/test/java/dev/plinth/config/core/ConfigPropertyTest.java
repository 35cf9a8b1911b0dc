package dev.plinth.config.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Walks at random: documents, rollouts, operators, agents that come, go, reject and are slow, and
 * owners that die with what was not durable. After every step it holds that
 *
 * <ul>
 *   <li>C1: what an agent runs never goes back in order;
 *   <li>C2, C3: a generation means the same content for whoever gets it, whenever;
 *   <li>C6: while a rollout is paused nobody gets it who had not been sent it;
 *   <li>C8: nobody is sent what it rejected (which {@link FakeAgent} checks);
 *   <li>C7: in the end all agents run the same, but for those that rejected it.
 * </ul>
 */
class ConfigPropertyTest extends ConfigCoreTest {
  private static final int STEPS = 400;
  private static final int AGENTS = 12;

  private final Map<ReleaseOrder, String> contentOf = new HashMap<>();
  private final Map<String, ReleaseOrder> lastRun = new HashMap<>();
  private long pausedGeneration;
  private Set<String> pausedReceivers = Set.of();

  ConfigPropertyTest() {
    super(true);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void randomWalk(int seed) {
    Random random = new Random(seed);
    for (int i = 0; i < AGENTS; i++) {
      agents.put(
          "agent-" + i, new FakeAgent("agent-" + i).labelled("zone", i % 3 == 0 ? "a" : "b"));
    }
    for (int step = 0; step < STEPS; step++) {
      act(random);
      check("seed " + seed + ", step " + step);
    }
    settle();
  }

  private void act(Random random) {
    FakeAgent agent = agents.get("agent-" + random.nextInt(AGENTS));
    switch (random.nextInt(16)) {
      case 0 -> orRefused(() -> put(LIMITS, newest(), "content " + random.nextInt(1000)));
      case 1, 2 ->
          orRefused(
              () ->
                  start(
                      LIMITS,
                      1 + random.nextInt((int) newest() + 1),
                      stages(random),
                      gates(random)));
      case 3 -> orRefused(() -> configs.rollouts().advance(action(last()), tx.next()));
      case 4 -> orRefused(() -> configs.rollouts().pause(action(last()), tx.next()));
      case 5 -> orRefused(() -> configs.rollouts().resume(action(last()), tx.next()));
      case 6 -> {
        if (random.nextInt(3) == 0) {
          orRefused(() -> configs.rollouts().abort(action(last()), tx.next()));
        }
      }
      case 7 -> disconnect(agent);
      case 8, 9 -> connect(agent);
      case 10 -> {
        if (agent.link != null) {
          if (random.nextInt(4) == 0) {
            reject(agent, "no");
          } else {
            deliver(agent, agent.stage());
          }
        }
      }
      case 11, 12 ->
          agents.values().stream().filter(each -> each.link != null).forEach(this::apply);
      case 13 -> tx.commit();
      case 14 -> clock.advance(Duration.ofMillis(1 + random.nextInt(20_000)));
      default -> {
        if (random.nextInt(8) == 0) {
          takeOver();
        } else if (agent.link != null) {
          apply(agent);
        }
      }
    }
    if (random.nextBoolean()) {
      clock.runDue();
      tx.commit();
    }
  }

  private static void orRefused(Runnable call) {
    try {
      call.run();
    } catch (Failure refusal) {
      // Not now: that is one of the outcomes.
    }
  }

  private long newest() {
    return configs.documents().list(SPACE, "", 1).stream()
        .mapToLong(ConfigView::newest)
        .findFirst()
        .orElse(0);
  }

  private long last() {
    List<RolloutView> all = configs.rollouts().snapshot(SPACE, LIMITS, 0);
    return all.isEmpty() ? 1 : all.get(0).target().generation();
  }

  private static List<RolloutStage> stages(Random random) {
    List<RolloutStage> stages = new ArrayList<>();
    Duration bake = Duration.ofSeconds(random.nextInt(30));
    switch (random.nextInt(4)) {
      case 0 -> stages.add(new RolloutStage(new StageTarget.Count(2), bake, false));
      case 1 -> stages.add(RolloutStage.percent(30, bake));
      case 2 -> stages.add(new RolloutStage(new StageTarget.Percent(5000), bake, true));
      default -> {}
    }
    stages.add(RolloutStage.percent(100, bake));
    return stages;
  }

  private static RolloutGates gates(Random random) {
    return new RolloutGates(random.nextInt(3), ACK_TIMEOUT, 0.5, 0.05, random.nextInt(4) == 0);
  }

  private void check(String where) {
    for (FakeAgent agent : agents.values()) {
      ReleaseOrder runs = agent.runs.getOrDefault(LIMITS, ReleaseOrder.NONE);
      ReleaseOrder before = lastRun.getOrDefault(agent.name, ReleaseOrder.NONE);
      assertTrue(runs.compareTo(before) >= 0, "C1 " + where);
      lastRun.put(agent.name, runs);
      for (AssignedRelease release : agent.received) {
        String content =
            release.configs().stream().map(c -> c.revision().content().hash()).toList().toString();
        String known = contentOf.putIfAbsent(release.order(), content);
        assertTrue(known == null || known.equals(content), "C2 " + where);
      }
    }
    checkPause(where);
  }

  /** What is paused and durable: told of by a watch. */
  private void checkPause(String where) {
    RolloutView told =
        tx.events().isEmpty() ? null : (RolloutView) tx.events().get(tx.events().size() - 1).body();
    if (told == null || told.progress().phase() != RolloutPhase.PAUSED) {
      pausedGeneration = 0;
      return;
    }
    long generation = told.target().generation();
    if (generation == pausedGeneration) {
      assertEquals(pausedReceivers, received(generation), "C6 " + where);
    }
    pausedGeneration = generation;
    pausedReceivers = new TreeSet<>(received(generation));
  }

  /** Everybody is there and answers, and an operator brings what is under way to its end. */
  private void settle() {
    for (int i = 0; i < 40; i++) {
      tx.commit();
      agents.values().stream().filter(agent -> agent.link == null).forEach(this::connect);
      orRefused(() -> configs.rollouts().resume(action(last()), tx.next()));
      tx.commit();
      applyAll();
      clock.advance(Duration.ofSeconds(20));
      orRefused(() -> configs.rollouts().advance(action(last()), tx.next()));
      clock.runDue();
    }
    tx.commit();
    applyAll();
    tx.commit();
    Optional<ConfigView> view = configs.documents().list(SPACE, "", 1).stream().findFirst();
    long stable = view.map(ConfigView::activeGeneration).orElse(0L);
    assertEquals(0, view.map(ConfigView::rollout).orElse(0L));
    ReleaseOrder order = new ReleaseOrder(1, stable);
    if (view.map(ConfigView::active).orElse(0L) > 0) {
      for (FakeAgent agent : agents.values()) {
        if (!order.equals(agent.rejected.get(LIMITS))) {
          assertEquals(order, agent.runs.get(LIMITS), "C7 " + agent.name);
        }
      }
    }
  }
}
