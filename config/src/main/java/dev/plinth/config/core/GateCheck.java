package dev.plinth.config.core;

import java.util.Optional;

/** The gates that depend on counts and time. */
final class GateCheck {
  /** A gate that is broken, and how. */
  record Broken(RolloutGate gate, String why) {}

  private GateCheck() {}

  static Optional<Broken> broken(Rollout rollout, RolloutCounts counts, ConfigTable table) {
    RolloutGates gates = rollout.gates;
    if (counts.unacked() > gates.maxUnackedRatio() * counts.reached()) {
      return Optional.of(
          new Broken(
              RolloutGate.UNACKED,
              "%d of %d agents did not answer within %s"
                  .formatted(counts.unacked(), counts.reached(), gates.ackTimeout())));
    }
    return deaths(rollout, table);
  }

  /** Agents that were sent it die more often than the others. Only those with a session can. */
  private static Optional<Broken> deaths(Rollout rollout, ConfigTable table) {
    if (rollout.deaths == 0) {
      return Optional.empty();
    }
    int given = rollout.deaths;
    int others = rollout.otherDeaths;
    ReleaseOrder order = table.order(rollout.target);
    for (GroupAgent agent : rollout.group.agents.values()) {
      if (agent.agent.hello.session().isPresent()) {
        if (agent.given.equals(order)) {
          given++;
        } else {
          others++;
        }
      }
    }
    double rate = (double) rollout.deaths / given;
    double otherRate = others == 0 ? 0 : (double) rollout.otherDeaths / others;
    if (rate - otherRate <= rollout.gates.maxDeathRatio()) {
      return Optional.empty();
    }
    return Optional.of(
        new Broken(
            RolloutGate.DEATHS,
            "%d of %d agents that were sent it died, and %d of %d others"
                .formatted(rollout.deaths, given, rollout.otherDeaths, others)));
  }
}
