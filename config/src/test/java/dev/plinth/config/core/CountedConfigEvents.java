package dev.plinth.config.core;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts what is reported. */
final class CountedConfigEvents implements ConfigEvents {
  int puts;
  int sends;
  long bytes;
  int replaced;
  int ahead;
  int agents;
  int configs;
  int rollouts;
  int paused;
  final List<RolloutGate> gates = new ArrayList<>();
  final Map<AgentAck.AckState, Integer> acks = new EnumMap<>(AgentAck.AckState.class);

  @Override
  public void put() {
    puts++;
  }

  @Override
  public void sent(long of) {
    sends++;
    bytes += of;
  }

  @Override
  public void acked(AgentAck.AckState state) {
    acks.merge(state, 1, Integer::sum);
  }

  @Override
  public void rolloutBecame(RolloutPhase phase) {}

  @Override
  public void gateBroke(RolloutGate gate) {
    gates.add(gate);
  }

  @Override
  public void replaced() {
    replaced++;
  }

  @Override
  public void ahead() {
    ahead++;
  }

  @Override
  public void agents(int change) {
    agents += change;
  }

  @Override
  public void configs(int change) {
    configs += change;
  }

  @Override
  public void rollouts(int change) {
    rollouts += change;
  }

  @Override
  public void paused(int change) {
    paused += change;
  }

  /** What is left when a shard has gone. */
  List<Integer> gauges() {
    return List.of(agents, configs, rollouts, paused);
  }
}
