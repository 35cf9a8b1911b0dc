package dev.plinth.config.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A rollout as it is at one moment. */
public record RolloutView(
    GroupName group,
    long epoch,
    Release target,
    Release base,
    Plan plan,
    Progress progress,
    Agents agents,
    History history) {
  /** What was asked for. */
  public record Plan(List<RolloutStage> stages, RolloutGates gates) {}

  /**
   * Where it is.
   *
   * @param abortGeneration 0 if it was not aborted
   */
  public record Progress(
      RolloutPhase phase,
      int stage,
      String reason,
      long abortGeneration,
      long version,
      Optional<Duration> bakeLeft,
      Instant started,
      Instant since) {}

  /**
   * How far its agents are.
   *
   * @param known all agents of the group
   */
  public record Agents(
      int known, RolloutCounts counts, int rejected, int deaths, int otherDeaths) {}

  /** What happened, and the first agents that rejected it. */
  public record History(List<RolloutStep> log, List<AgentRejection> rejections) {
    static final History NONE = new History(List.of(), List.of());
  }

  /** As watchers are told of it. */
  RolloutView withoutHistory() {
    return new RolloutView(group, epoch, target, base, plan, progress, agents, History.NONE);
  }
}
