package dev.plinth.config.core;

/** What happens to configs, for metrics. Called on the deciding thread: it only counts. */
public interface ConfigEvents {
  void put();

  /** An agent was sent a release, with so many bytes of content. */
  void sent(long bytes);

  void acked(AgentAck.AckState state);

  /** A rollout came into a phase. */
  void rolloutBecame(RolloutPhase phase);

  /** A gate stopped a rollout. */
  void gateBroke(RolloutGate gate);

  /** A stream of an agent was replaced by another one. */
  void replaced();

  /** An agent said that it runs what was never given out: it is ahead of the store. */
  void ahead();

  void agents(int change);

  void configs(int change);

  /** Rollouts that are under way, and those of them that are paused. */
  void rollouts(int change);

  void paused(int change);
}
