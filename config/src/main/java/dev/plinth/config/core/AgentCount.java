package dev.plinth.config.core;

/** Counts the agents that the stages of a rollout until now are for, by how far they are. */
final class AgentCount {
  private int targeted;
  private int unsent;
  private int sent;
  private int staged;
  private int applied;
  private int rejected;
  private int unacked;
  private int unreachable;

  private AgentCount() {}

  static RolloutCounts of(Rollout rollout, ConfigTable table, long nanos) {
    AgentCount count = new AgentCount();
    ReleaseOrder order = table.order(rollout.target);
    for (GroupAgent agent : rollout.group.agents.values()) {
      if (rollout.targets(agent)) {
        count.add(agent, order, nanos - rollout.gates.ackTimeout().toNanos());
      }
    }
    return count.counts();
  }

  /**
   * @param lateIfGiven one that was sent it before this time has not answered in time
   */
  private void add(GroupAgent agent, ReleaseOrder order, long lateIfGiven) {
    targeted++;
    if (agent.rejected.equals(order)) {
      rejected++;
    } else if (!order.isAfter(agent.runs)) {
      applied++;
    } else if (!agent.given.equals(order)) {
      if (agent.agent.isConnected()) {
        unsent++;
      } else {
        unreachable++;
      }
    } else if (agent.givenAt - lateIfGiven < 0) {
      unacked++;
    } else if (agent.staged) {
      staged++;
    } else {
      sent++;
    }
  }

  private RolloutCounts counts() {
    return new RolloutCounts(
        targeted, unsent, sent, staged, applied, rejected, unacked, unreachable);
  }
}
