package dev.plinth.config.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BucketTest {
  private static final int KEYS = 100_000;

  private final ConfigGroup group = new ConfigGroup(new ConfigNamespace("default"), "limits");

  private static AgentIdentity agent(int number) {
    return new AgentIdentity("pod-" + number, "host-" + number, Map.of());
  }

  @Test
  void C5_percentage_isMonotone_stable_andCloseToWhatWasAskedFor() {
    Rollout rollout =
        new Rollout(
            group,
            new Release(7, new java.util.TreeMap<>()),
            Release.none(),
            List.of(
                RolloutStage.percent(1, Duration.ZERO),
                RolloutStage.percent(10, Duration.ZERO),
                RolloutStage.percent(50, Duration.ZERO),
                RolloutStage.percent(100, Duration.ZERO)),
            RolloutGates.DEFAULT);
    int[] reached = new int[4];
    for (int i = 0; i < KEYS; i++) {
      AgentIdentity agent = agent(i);
      int bucket = agent.bucket(group, 7);
      AgentIdentity restarted = new AgentIdentity("another-name", agent.instance(), Map.of());
      assertEquals(bucket, restarted.bucket(group, 7));
      int first = rollout.firstStage(agent, bucket);
      for (int stage = first; stage < reached.length; stage++) {
        reached[stage]++;
      }
    }
    double[] parts = {0.01, 0.1, 0.5, 1};
    for (int stage = 0; stage < parts.length; stage++) {
      double expected = KEYS * parts[stage];
      double sigma = Math.sqrt(KEYS * parts[stage] * (1 - parts[stage]));
      assertTrue(
          Math.abs(reached[stage] - expected) <= 3 * sigma,
          "stage %d: %d of %d".formatted(stage, reached[stage], KEYS));
    }
  }

  @Test
  void bucket_isWrittenDown_soThatNoReleaseMovesAgents() {
    assertEquals(
        List.of(7394, 6837, 2067),
        List.of(agent(0).bucket(group, 7), agent(1).bucket(group, 7), agent(2).bucket(group, 7)));
  }

  @Test
  void rollouts_beginWithDifferentAgents() {
    long same = 0;
    for (int i = 0; i < 1000; i++) {
      boolean inOne = agent(i).bucket(group, 7) < 1000;
      boolean inOther = agent(i).bucket(group, 8) < 1000;
      same += inOne && inOther ? 1 : 0;
    }
    assertTrue(same < 50, same + " of 1000 are among the first 10 % twice");
  }
}
