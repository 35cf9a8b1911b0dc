package dev.plinth.config.core;

import dev.plinth.registry.core.LabelFilter;
import dev.plinth.shards.Tx;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Brings a release to the agents of a group, stage by stage. */
final class Rollout {
  private static final int MAX_STEPS = 50;
  private static final int MAX_REJECTIONS = 100;

  final ConfigGroup group;
  final Release target;
  final Release base;
  final List<RolloutStage> stages;
  final RolloutGates gates;
  final ArrayDeque<RolloutStep> log = new ArrayDeque<>();

  /** The first ones, by agent. */
  final Map<String, AgentRejection> rejections = new LinkedHashMap<>();

  /** All of them. After a change of owner, those that are among the first or said so again. */
  private final Set<String> rejecters = new HashSet<>();

  /** Agents of stages that count, and the stage that each was chosen for. */
  final Map<String, Integer> pinned = new TreeMap<>();

  RolloutPhase phase = RolloutPhase.RUNNING;
  int stage;
  String reason = "";
  long abortGeneration;
  long version = 1;
  Instant started;
  Instant since;

  /** Agents that rejected it, and how many of them an operator knew of when he went on. */
  int rejected;

  int forgiven;
  int deaths;
  int otherDeaths;

  /** The gate that was broken; null if none is. Nothing more is sent from then on. In memory. */
  String breach;

  /** Something was counted or chosen that its row does not say. */
  boolean unwritten;

  /** While it is BAKING. */
  long bakeUntil;

  /** Until then agents come back after a change of owner, and absence proves nothing. */
  long graceUntil;

  Tx.Timer timer;
  long timerDue;

  Rollout(
      ConfigGroup group,
      Release target,
      Release base,
      List<RolloutStage> stages,
      RolloutGates gates) {
    this.group = group;
    this.target = target;
    this.base = base;
    this.stages = List.copyOf(stages);
    this.gates = gates;
  }

  boolean isDelivering() {
    return phase.isDelivering() && breach == null;
  }

  boolean isLastStage() {
    return stage == stages.size() - 1;
  }

  boolean targets(GroupAgent agent) {
    int first = firstStage(agent.agent.hello.identity(), agent.bucket(target.generation()));
    return first >= 0 && first <= stage && agent.concerns(target);
  }

  /** The first stage that is for an agent; -1 if none is. */
  int firstStage(AgentIdentity agent, int bucket) {
    for (int i = 0; i < stages.size(); i++) {
      if (fits(stages.get(i).target(), i, agent, bucket)) {
        return i;
      }
    }
    return -1;
  }

  private boolean fits(StageTarget of, int number, AgentIdentity agent, int bucket) {
    if (of instanceof StageTarget.Percent percent) {
      return bucket < percent.buckets();
    }
    if (of instanceof StageTarget.Labels labels) {
      return LabelFilter.all(labels.filters(), agent.labels());
    }
    return pinned.getOrDefault(agent.name(), -1) == number;
  }

  /** One that was counted by the last owner. */
  void load(AgentRejection rejection) {
    rejecters.add(rejection.agent());
    rejections.put(rejection.agent(), rejection);
  }

  void step(RolloutStep step) {
    log.add(step);
    if (log.size() > MAX_STEPS) {
      log.poll();
    }
  }

  /** False if it is known already. */
  boolean reject(AgentRejection rejection) {
    if (!rejecters.add(rejection.agent())) {
      return false;
    }
    rejected++;
    unwritten = true;
    if (rejections.size() < MAX_REJECTIONS) {
      rejections.put(rejection.agent(), rejection);
    }
    return true;
  }

  void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
