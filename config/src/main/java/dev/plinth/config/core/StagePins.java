package dev.plinth.config.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Chooses the agents of stages that count them. */
final class StagePins {
  private StagePins() {}

  /**
   * Lets go of agents that are gone and chooses others in their place. What is chosen is written
   * before anybody is sent anything.
   *
   * @return whether some were chosen
   */
  static boolean choose(Rollout rollout, long nanos) {
    boolean chosen = false;
    for (int i = 0; i <= rollout.stage; i++) {
      // After a change of owner agents that are not back yet are not gone.
      if (rollout.stages.get(i).target() instanceof StageTarget.Count count
          && nanos >= rollout.graceUntil) {
        chosen |= choose(rollout, i, count.agents());
      }
    }
    return chosen;
  }

  private static boolean choose(Rollout rollout, int stage, int wanted) {
    rollout
        .pinned
        .entrySet()
        .removeIf(
            pin -> pin.getValue() == stage && !rollout.group.agents.containsKey(pin.getKey()));
    long have = rollout.pinned.values().stream().filter(pin -> pin == stage).count();
    if (have >= wanted || rollout.group.agents.size() <= rollout.pinned.size()) {
      return false;
    }
    long generation = rollout.target.generation();
    List<GroupAgent> free = new ArrayList<>();
    for (GroupAgent agent : rollout.group.agents.values()) {
      int first = rollout.firstStage(agent.agent.hello.identity(), agent.bucket(generation));
      if (agent.agent.isConnected()
          && agent.concerns(rollout.target)
          && (first < 0 || first > stage)) {
        free.add(agent);
      }
    }
    free.sort(
        Comparator.<GroupAgent>comparingInt(agent -> agent.bucket(generation))
            .thenComparing(agent -> agent.agent.name));
    free.stream()
        .limit(wanted - have)
        .forEach(agent -> rollout.pinned.put(agent.agent.name, stage));
    rollout.unwritten |= !free.isEmpty();
    return !free.isEmpty();
  }
}
