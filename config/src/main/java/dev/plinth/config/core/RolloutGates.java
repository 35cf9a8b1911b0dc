package dev.plinth.config.core;

import java.time.Duration;

/**
 * What stops a rollout by itself.
 *
 * @param maxRejections agents that may reject it
 * @param ackTimeout how long an agent may take to apply or reject it
 * @param maxUnackedRatio the part of the agents reached that may take longer
 * @param maxDeathRatio by how much the part of the agents reached that died may be above that of
 *     the others
 * @param abort whether it is aborted then, or paused
 */
public record RolloutGates(
    int maxRejections,
    Duration ackTimeout,
    double maxUnackedRatio,
    double maxDeathRatio,
    boolean abort) {
  public static final Duration DEFAULT_ACK_TIMEOUT = Duration.ofSeconds(30);
  public static final double DEFAULT_DEATH_RATIO = 0.05;

  public static final RolloutGates DEFAULT =
      new RolloutGates(0, DEFAULT_ACK_TIMEOUT, 0, DEFAULT_DEATH_RATIO, false);
}
