package dev.plinth.config.core;

import dev.plinth.config.core.AssignedRelease.AssignedConfig;
import dev.plinth.shards.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which release an agent is to have, and sends it. That follows from the state alone, so it
 * may be asked at any time; an agent is never sent what is not after all that it has or was sent.
 */
final class Distribution {
  // Agents that are looked at in one step, so that the shard is not kept from its other work.
  private static final int AGENTS_PER_STEP = 256;

  private final ConfigTable table;

  Distribution(ConfigTable table) {
    this.table = table;
  }

  /** What an agent is to have; generation 0 for nothing. */
  Release wanted(GroupAgent agent) {
    Rollout rollout = agent.group.active;
    if (rollout != null) {
      ReleaseOrder order = table.order(rollout.target);
      boolean has = agent.runs.equals(order) || agent.sentOrder().equals(order);
      if (has || rollout.isDelivering() && rollout.targets(agent)) {
        return rollout.target;
      }
    }
    return agent.group.stable;
  }

  /** What an agent that is not connected would get if it came now, with nothing. */
  Release wanted(ConfigGroup group, AgentIdentity agent) {
    Rollout rollout = group.active;
    if (rollout != null && rollout.isDelivering() && !agent.instance().isEmpty()) {
      int bucket = agent.bucket(group, rollout.target.generation());
      int first = rollout.firstStage(agent, bucket);
      if (first >= 0 && first <= rollout.stage) {
        return rollout.target;
      }
    }
    return group.stable;
  }

  /** Sends an agent what it is to have, unless it has it, was sent it, or rejected it. */
  void send(GroupAgent agent, Tx tx) {
    Release wanted = wanted(agent);
    ReleaseOrder order = table.order(wanted);
    if (!agent.agent.isConnected() || wanted.generation() == 0 || !isNews(agent, wanted, order)) {
      return;
    }
    AssignedRelease release = assigned(agent, wanted);
    agent.sent(release);
    if (!agent.given.equals(order)) {
      agent.given = order;
      agent.givenAt = tx.nanos();
    }
    agent.agent.link.assign(release, tx);
    table.events.sent(bytes(release));
  }

  private static boolean isNews(GroupAgent agent, Release wanted, ReleaseOrder order) {
    if (order.equals(agent.rejected) || !order.isAfter(agent.sentOrder())) {
      return false;
    }
    return order.isAfter(agent.runs)
        ? agent.concerns(wanted)
        : order.equals(agent.runs) && lacks(agent, wanted);
  }

  /** Whether it follows a config of the release whose content it does not hold. */
  private static boolean lacks(GroupAgent agent, Release release) {
    return agent.configs.stream()
        .filter(release.revisions()::containsKey)
        .anyMatch(config -> !agent.holds(config, agent.group.revision(release, config)));
  }

  private AssignedRelease assigned(GroupAgent agent, Release release) {
    List<AssignedConfig> configs = new ArrayList<>();
    for (String config : agent.configs) {
      if (release.revisions().containsKey(config)) {
        Revision revision = agent.group.revision(release, config);
        configs.add(new AssignedConfig(config, revision, agent.holds(config, revision)));
      }
    }
    return new AssignedRelease(agent.group.name, table.order(release), configs);
  }

  /** One config of a release, with its content. */
  Optional<AssignedRelease> assigned(ConfigGroup group, Release release, String config) {
    if (!release.revisions().containsKey(config)) {
      return Optional.empty();
    }
    Revision revision = group.revision(release, config);
    return Optional.of(
        new AssignedRelease(
            group.name,
            table.order(release),
            List.of(new AssignedConfig(config, revision, false))));
  }

  private static long bytes(AssignedRelease release) {
    return release.configs().stream()
        .filter(config -> !config.held())
        .mapToLong(config -> config.revision().content().bytes().length)
        .sum();
  }

  /** What agents of a group are to have has changed: each is sent it, some at a time. */
  void distribute(ConfigGroup group, Tx tx) {
    boolean idle = group.sendAfter == null;
    group.sendAfter = "";
    if (idle) {
      tx.at(tx.nanos(), later -> sendSome(group, later));
    }
  }

  private void sendSome(ConfigGroup group, Tx tx) {
    int seen = 0;
    for (Map.Entry<String, GroupAgent> each :
        group.agents.tailMap(group.sendAfter, false).entrySet()) {
      if (seen++ == AGENTS_PER_STEP) {
        tx.at(tx.nanos(), later -> sendSome(group, later));
        return;
      }
      send(each.getValue(), tx);
      group.sendAfter = each.getKey();
    }
    group.sendAfter = null;
  }
}
