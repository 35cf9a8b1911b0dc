package dev.plinth.config.core;

import java.time.Duration;
import java.util.List;

/**
 * A stage of a rollout.
 *
 * @param bake how long the gates are watched after all its agents have applied it
 * @param manual whether it waits for an operator at its end
 */
public record RolloutStage(StageTarget target, Duration bake, boolean manual) {
  public static final Duration DEFAULT_BAKE = Duration.ofSeconds(60);

  public static RolloutStage percent(double percent, Duration bake) {
    return new RolloutStage(
        new StageTarget.Percent((int) Math.round(percent * StageTarget.BUCKETS / 100)),
        bake,
        false);
  }

  /** 1 %, 10 %, 50 % and 100 %. */
  public static List<RolloutStage> byDefault() {
    return List.of(
        percent(1, DEFAULT_BAKE),
        percent(10, DEFAULT_BAKE),
        percent(50, DEFAULT_BAKE),
        percent(100, DEFAULT_BAKE));
  }

  /** To everybody, with nothing to wait for. */
  public static List<RolloutStage> atOnce() {
    return List.of(percent(100, Duration.ZERO));
  }
}
