package dev.plinth.config.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The agents of a shard: who is connected, and what each said that it runs. All of it is in memory;
 * a new owner of the shard learns it as they connect again. Nothing here writes: what follows from
 * a message for a rollout is decided by a timer, which waits while the store takes no writes.
 */
public final class Agents {
  /** How often an agent hears that it missed nothing. */
  public static final Duration BOOKMARK_INTERVAL = Duration.ofSeconds(5);

  /** How long an agent without a stream is remembered. */
  static final Duration REMEMBERED = Duration.ofMinutes(10);

  private final ConfigTable table;
  private final Distribution distribution;
  private final Rollouts rollouts;
  private final AgentSessions sessions;
  private final Map<SessionKey, Set<Agent>> bySession = new HashMap<>();

  Agents(ConfigTable table, Distribution distribution, Rollouts rollouts, AgentSessions sessions) {
    this.table = table;
    this.sessions = sessions;
    this.distribution = distribution;
    this.rollouts = rollouts;
  }

  /** A stream begins: it takes the place of the agent's former one. */
  public void connect(String namespace, AgentHello hello, AgentLink link, Tx tx) {
    hello.session().ifPresent(this::requireOpen);
    String name = hello.identity().name();
    Agent known = table.find(namespace).map(space -> space.agents.get(name)).orElse(null);
    int freed = known == null ? 0 : known.hello.configs().size();
    table
        .find(namespace)
        .ifPresent(space -> space.admitAgent(known == null, hello.configs().size(), freed));
    Agent agent = known;
    if (agent == null) {
      agent = new Agent(table.namespace(namespace), hello);
      agent.namespace.agents.put(name, agent);
      table.events.agents(1);
    } else {
      replace(agent, tx);
    }
    agent.hello = hello;
    agent.link = link;
    follow(agent);
    greet(agent, tx);
  }

  private void requireOpen(SessionKey session) {
    if (!sessions.isOpen(session)) {
      throw new Failure.Missing(
          ErrorReason.ERROR_REASON_SESSION_UNKNOWN, new Failure.Resource("session", session.id()));
    }
  }

  private void replace(Agent agent, Tx tx) {
    if (agent.link != null) {
      agent.link.replaced(tx);
      table.events.replaced();
    }
    agent.cancelTimers();
    unfollow(agent);
  }

  private void follow(Agent agent) {
    ConfigNamespace space = agent.namespace;
    space.subscriptions += agent.hello.configs().size();
    agent
        .hello
        .session()
        .ifPresent(key -> bySession.computeIfAbsent(key, each -> new HashSet<>()).add(agent));
    Set<String> stale = new HashSet<>(agent.groups.keySet());
    for (String config : agent.hello.configs()) {
      ConfigDocument document = space.documents.get(config);
      if (document == null) {
        space.await(config, agent);
      } else {
        GroupAgent of = in(agent, document.group);
        if (stale.remove(document.group.name)) {
          of.configs.clear();
          of.connect(held(agent, document.group));
        }
        of.configs.add(config);
      }
    }
    stale.forEach(group -> agent.groups.remove(group).group.agents.remove(agent.name));
    agent.groups.values().forEach(this::heardOf);
  }

  /** What an agent has of a group; made when it follows the first of its configs. */
  private GroupAgent in(Agent agent, ConfigGroup group) {
    GroupAgent of = agent.groups.get(group.name);
    if (of == null) {
      of = new GroupAgent(agent, group);
      of.connect(held(agent, group));
      agent.groups.put(group.name, of);
      group.agents.put(agent.name, of);
    }
    return of;
  }

  private static HeldRelease held(Agent agent, ConfigGroup group) {
    return agent.hello.held().getOrDefault(group.name, HeldRelease.NOTHING);
  }

  private void heardOf(GroupAgent of) {
    if (of.runs.isAfter(new ReleaseOrder(table.epoch, of.group.generation))) {
      table.events.ahead();
    }
  }

  /** What it is to have and has not; then, that this was all. */
  private void greet(Agent agent, Tx tx) {
    List<String> unassigned = new ArrayList<>();
    for (String config : agent.hello.configs()) {
      ConfigDocument document = agent.namespace.documents.get(config);
      if (document == null
          || !distribution
              .wanted(agent.groups.get(document.group.name))
              .revisions()
              .containsKey(config)) {
        unassigned.add(config);
      }
    }
    if (!unassigned.isEmpty()) {
      agent.link.unassigned(unassigned, tx);
    }
    for (GroupAgent of : agent.groups.values()) {
      distribution.send(of, tx);
      rollouts.heard(of, tx);
    }
    bookmark(agent, tx);
  }

  /** An owner that may have lost the shard is silent: what it knows may be old. */
  private void bookmark(Agent agent, Tx tx) {
    if (tx.hasAuthority()) {
      agent.link.bookmark(tx);
    }
    agent.bookmark =
        tx.at(tx.nanos() + BOOKMARK_INTERVAL.toNanos(), later -> bookmark(agent, later));
  }

  /** A config was made: agents may follow it already. */
  void created(ConfigDocument document) {
    Set<Agent> waiting = document.group.namespace.awaited.remove(document.name);
    if (waiting != null) {
      waiting.forEach(agent -> in(agent, document.group).configs.add(document.name));
    }
  }

  /** What an agent made of a release that it was sent on this stream. */
  public void ack(String namespace, String name, AgentLink from, AgentAck ack, Tx tx) {
    Agent agent = table.find(namespace).map(space -> space.agents.get(name)).orElse(null);
    GroupAgent of = agent == null || agent.link != from ? null : agent.groups.get(ack.group());
    if (of == null || !of.answered(ack)) {
      return; // of a stream that was replaced, or of what it has answered already
    }
    table.events.acked(ack.state());
    if (ack.state() == AgentAck.AckState.REJECTED) {
      rollouts.rejected(of, new AgentRejection(name, ack.config(), ack.error()), tx);
    }
    rollouts.heard(of, tx);
  }

  /** A stream is over; the agent is remembered for a while. */
  public void disconnect(String namespace, String name, AgentLink link, Tx tx) {
    Agent agent = table.find(namespace).map(space -> space.agents.get(name)).orElse(null);
    if (agent == null || agent.link != link) {
      return;
    }
    agent.link = null;
    agent.cancelTimers();
    agent.groups.values().forEach(GroupAgent::disconnect);
    agent.forget = tx.at(tx.nanos() + REMEMBERED.toNanos(), later -> forget(agent));
  }

  /** The session of the registry that agents named has ended. */
  void sessionEnded(SessionKey session, boolean expired, Tx tx) {
    Set<Agent> ended = bySession.remove(session);
    if (ended == null) {
      return;
    }
    for (Agent agent : ended) {
      if (expired) {
        agent.groups.values().forEach(of -> rollouts.died(of, tx));
      }
      if (!agent.isConnected()) {
        forget(agent);
      }
    }
  }

  private void forget(Agent agent) {
    agent.cancelTimers();
    unfollow(agent);
    agent.groups.values().forEach(of -> of.group.agents.remove(agent.name));
    agent.namespace.agents.remove(agent.name);
    table.events.agents(-1);
    table.forgetIfUnused(agent.namespace);
  }

  private void unfollow(Agent agent) {
    ConfigNamespace space = agent.namespace;
    space.subscriptions -= agent.hello.configs().size();
    agent.hello.configs().forEach(config -> space.awaitNoMore(config, agent));
    agent
        .hello
        .session()
        .ifPresent(
            key ->
                bySession.computeIfPresent(
                    key,
                    (each, of) -> {
                      of.remove(agent);
                      return of.isEmpty() ? null : of;
                    }));
  }

  void close() {
    table.namespaces().forEach(space -> table.events.agents(-space.agents.size()));
  }
}
