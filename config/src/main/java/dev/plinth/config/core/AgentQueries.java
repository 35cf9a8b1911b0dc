package dev.plinth.config.core;

import dev.plinth.config.core.AgentPage.Request;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at agents and what they are to have. */
public final class AgentQueries {
  // A page looks at so many agents for each that it may show, so that it costs what it returns.
  private static final int MAX_VISITS_EACH = 10;
  private static final int MAX_BYTES = 1 << 20;

  private final ConfigTable table;
  private final Distribution distribution;

  AgentQueries(ConfigTable table, Distribution distribution) {
    this.table = table;
    this.distribution = distribution;
  }

  public AgentPage list(Request request) {
    ConfigGroup group = table.require(request.group());
    List<AgentView> agents = new ArrayList<>();
    long visits = 0;
    int bytes = 0;
    String last = "";
    for (GroupAgent agent : group.agents.tailMap(request.after(), false).values()) {
      if (agents.size() == request.size()
          || visits == (long) request.size() * MAX_VISITS_EACH
          || bytes >= MAX_BYTES) {
        return new AgentPage(agents, Optional.of(last));
      }
      visits++;
      last = agent.agent.name;
      AgentView view = view(agent);
      if (request.fits(view)) {
        agents.add(view);
        bytes += view.bytes();
      }
    }
    return new AgentPage(agents, Optional.empty());
  }

  private AgentView view(GroupAgent agent) {
    ReleaseOrder assigned = table.order(distribution.wanted(agent));
    AgentHello hello = agent.agent.hello;
    return new AgentView(
        new GroupName(agent.group.namespace.name, agent.group.name),
        hello.identity(),
        agent.agent.isConnected(),
        hello.session().map(session -> session.id()).orElse(""),
        progress(agent, assigned),
        assigned.generation() == 0 ? ReleaseOrder.NONE : assigned,
        agent.runs,
        new AgentView.LastRejection(agent.rejected, agent.error));
  }

  private static AgentProgress progress(GroupAgent agent, ReleaseOrder assigned) {
    if (assigned.generation() == 0) {
      return AgentProgress.UNASSIGNED;
    }
    if (agent.rejected.equals(assigned)) {
      return AgentProgress.REJECTED;
    }
    if (!assigned.isAfter(agent.runs)) {
      return AgentProgress.APPLIED;
    }
    if (!agent.sentOrder().equals(assigned)) {
      return AgentProgress.UNREACHABLE;
    }
    return agent.staged ? AgentProgress.STAGED : AgentProgress.SENT;
  }

  /** Why an agent has what it has. */
  public AgentExplanation explain(GroupName name, String agentName) {
    ConfigGroup group = table.require(name);
    GroupAgent agent = group.agents.get(agentName);
    if (agent == null) {
      throw new Failure.Missing(
          ErrorReason.ERROR_REASON_AGENT_UNKNOWN,
          new Failure.Resource("agent", name.path() + "/" + agentName));
    }
    AgentView view = view(agent);
    if (group.rollouts.isEmpty()) {
      return new AgentExplanation(view, "nothing of the group was rolled out yet", 0, -1);
    }
    Rollout rollout = group.rollout(0);
    int bucket = agent.bucket(rollout.target.generation());
    int stage = rollout.firstStage(agent.agent.hello.identity(), bucket);
    String why = reason(agent, rollout, stage) + "; " + state(view);
    return new AgentExplanation(view, why, bucket, stage);
  }

  private String reason(GroupAgent agent, Rollout rollout, int stage) {
    long generation = rollout.target.generation();
    if (agent.runs.isAfter(new ReleaseOrder(table.epoch, agent.group.generation))) {
      return "it runs %s, which was never given out here".formatted(agent.runs);
    }
    if (rollout.phase == RolloutPhase.ABORTED) {
      return "rollout %d was aborted, so generation %d brings what was there before"
          .formatted(generation, rollout.abortGeneration);
    }
    if (rollout.phase == RolloutPhase.DONE) {
      return "rollout %d is done, so all agents are to have it".formatted(generation);
    }
    String at = "rollout %d is %s in stage %d".formatted(generation, rollout.phase, rollout.stage);
    if (distribution.wanted(agent) == rollout.target) {
      return at + ", which the agent is part of since stage " + stage;
    }
    if (stage < 0) {
      return at + ", and no stage is for the agent yet";
    }
    return stage > rollout.stage
        ? at + ", and the agent is part of stage " + stage
        : at + ", and no further agent gets it";
  }

  private static String state(AgentView view) {
    return switch (view.progress()) {
      case UNREACHABLE ->
          view.connected()
              ? "it is about to be sent " + view.assigned()
              : "it has no stream, and gets " + view.assigned() + " when it comes back";
      case SENT -> "it was sent " + view.assigned() + " and has not answered";
      case STAGED -> "it has validated " + view.assigned() + " and not applied it";
      case APPLIED -> "it runs " + view.runs();
      case REJECTED ->
          "it rejected %s, runs %s, and is not sent the same again"
              .formatted(view.assigned(), view.runs());
      case UNASSIGNED -> "there is nothing for it to have";
    };
  }

  /** What an agent would be assigned of a config's group if it came now, with the one config. */
  public Optional<AssignedRelease> fetch(ConfigName name, AgentIdentity agent) {
    ConfigDocument document = table.require(name);
    GroupAgent known = document.group.agents.get(agent.name());
    Release release =
        known == null ? distribution.wanted(document.group, agent) : distribution.wanted(known);
    return distribution.assigned(document.group, release, name.config());
  }
}
