package dev.plinth.config;

import dev.plinth.config.core.AgentAck.AckState;
import dev.plinth.config.core.ConfigEvents;
import dev.plinth.config.core.RolloutGate;
import dev.plinth.config.core.RolloutPhase;
import dev.plinth.server.ServiceMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Every meter of configs. */
final class ConfigMetrics implements ConfigEvents {
  private final AtomicInteger configs;
  private final AtomicInteger agents;
  private final AtomicInteger rollouts;
  private final AtomicInteger paused;
  private final Counter puts;
  private final Counter sends;
  private final Counter sentBytes;
  private final Counter replaced;
  private final Counter ahead;
  private final Map<String, Counter> acks;
  private final Map<String, Counter> phases;
  private final Map<String, Counter> gates;

  ConfigMetrics(MeterRegistry registry) {
    ServiceMeters meters = new ServiceMeters(registry, "plinth.config.");
    configs = meters.gauge("documents", "Configs that are kept");
    agents = meters.gauge("agents", "Agents that are known");
    rollouts = meters.gauge("rollouts.active", "Rollouts that are under way");
    paused = meters.gauge("rollouts.paused", "Rollouts that are paused");
    puts = meters.counter("puts", "Revisions that were made");
    sends = meters.counter("sends", "Releases that were sent to agents");
    sentBytes = meters.counter("sent.bytes", "Bytes of content that were sent to agents");
    replaced = meters.counter("replaced", "Streams whose place another one of the agent took");
    ahead =
        meters.counter("ahead", "Agents that came with a release which was never given out here");
    acks =
        meters.counters("acks", "state", names(AckState.values()), "What agents made of releases");
    phases =
        meters.counters(
            "rollout.phases",
            "phase",
            names(RolloutPhase.values()),
            "Rollouts that came into a phase or a stage");
    gates =
        meters.counters(
            "gates.broken", "gate", names(RolloutGate.values()), "Gates that stopped a rollout");
  }

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  @Override
  public void put() {
    puts.increment();
  }

  @Override
  public void sent(long bytes) {
    sends.increment();
    sentBytes.increment(bytes);
  }

  @Override
  public void acked(AckState state) {
    acks.get(state.name()).increment();
  }

  @Override
  public void rolloutBecame(RolloutPhase phase) {
    phases.get(phase.name()).increment();
  }

  @Override
  public void gateBroke(RolloutGate gate) {
    gates.get(gate.name()).increment();
  }

  @Override
  public void replaced() {
    replaced.increment();
  }

  @Override
  public void ahead() {
    ahead.increment();
  }

  @Override
  public void agents(int change) {
    agents.addAndGet(change);
  }

  @Override
  public void configs(int change) {
    configs.addAndGet(change);
  }

  @Override
  public void rollouts(int change) {
    rollouts.addAndGet(change);
  }

  @Override
  public void paused(int change) {
    paused.addAndGet(change);
  }
}
