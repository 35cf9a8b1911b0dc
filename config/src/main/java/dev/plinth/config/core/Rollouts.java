package dev.plinth.config.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Event;
import dev.plinth.shards.ExpectedVersion;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The rollouts of a shard. What an operator does, and what follows from agents and from time, is
 * decided here, one step after the other, and written before any agent hears of it.
 */
public final class Rollouts {
  // Answers of many agents are looked at together.
  private static final long SOON = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);
  private static final int EVENT_BYTES = 1024;

  private final ConfigTable table;
  private final Distribution distribution;

  Rollouts(ConfigTable table, Distribution distribution) {
    this.table = table;
    this.distribution = distribution;
  }

  /** A rollout of the last owner: it goes on, and agents have time to come back first. */
  void load(Rollout rollout, Tx tx) {
    ConfigGroup group = rollout.group;
    group.rollouts.put(rollout.target.generation(), rollout);
    if (!rollout.phase.isOver()) {
      group.active = rollout;
      rollout.graceUntil = tx.nanos() + rollout.gates.ackTimeout().toNanos();
      rollout.bakeUntil = rollout.graceUntil + bake(rollout);
      table.events.rollouts(1);
      table.events.paused(rollout.phase == RolloutPhase.PAUSED ? 1 : 0);
      arm(rollout, tx.nanos() + PERIOD, tx);
    }
  }

  /** Begins to bring revisions to the agents of a group. */
  public RolloutView start(RolloutSpec spec, Tx tx) {
    ConfigGroup group = admit(spec);
    Release target = group.stable.with(group.next(), spec.targets());
    Rollout rollout = new Rollout(group, target, group.stable, spec.stages(), spec.gates());
    rollout.started = table.time();
    rollout.graceUntil = tx.nanos();
    group.active = rollout;
    group.rollouts.put(target.generation(), rollout);
    while (group.rollouts.size() > ConfigGroup.MAX_ROLLOUTS) {
      tx.delete(RolloutRows.keyOf(group.rollouts.pollFirstEntry().getValue()));
    }
    table.events.rollouts(1);
    enter(rollout, RolloutPhase.RUNNING, 0, spec.why().told("started"), tx);
    return view(rollout, tx);
  }

  private ConfigGroup admit(RolloutSpec spec) {
    ConfigGroup group = null;
    for (Map.Entry<String, Long> target : spec.targets().entrySet()) {
      ConfigDocument document = table.require(new ConfigName(spec.namespace(), target.getKey()));
      document.require(target.getValue());
      if (group != null && group != document.group) {
        throw Failure.Invalid.field(
            "targets", document.name, "configs of one group, such as " + group.name);
      }
      group = document.group;
    }
    ExpectedVersion.check(
        "generation of group " + group.path(), spec.expectedGeneration(), group.generation);
    if (group.active != null) {
      throw forbidden(ErrorReason.ERROR_REASON_ROLLOUT_ACTIVE, group.active, "is under way");
    }
    long bytes = group.bytes(group.stable.with(0, spec.targets()));
    if (bytes > ConfigGroup.MAX_BYTES) {
      throw Failure.Invalid.field(
          "targets", bytes + " bytes in group " + group.name, "at most " + ConfigGroup.MAX_BYTES);
    }
    return group;
  }

  private static Failure forbidden(ErrorReason reason, Rollout rollout, String state) {
    String name = rollout.group.path() + "/" + rollout.target.generation();
    return new Failure.Forbidden(
        reason,
        "rollout " + name,
        "rollout %s %s (%s)".formatted(name, state, rollout.phase),
        Map.of("rollout", name, "phase", rollout.phase.name()));
  }

  /** Goes on to the next stage, or to the end. */
  public RolloutView advance(RolloutAction action, Tx tx) {
    Rollout rollout = require(action);
    if (!rollout.isDelivering()) {
      throw forbidden(ErrorReason.ERROR_REASON_ROLLOUT_OVER, rollout, "does not go on by itself");
    }
    next(rollout, action.why().told("advanced"), tx);
    return view(rollout, tx);
  }

  public RolloutView pause(RolloutAction action, Tx tx) {
    Rollout rollout = require(action);
    if (rollout.phase != RolloutPhase.PAUSED) {
      stop(rollout, action.why().told("paused"), tx);
    }
    return view(rollout, tx);
  }

  /** What the gates counted is forgiven. */
  public RolloutView resume(RolloutAction action, Tx tx) {
    Rollout rollout = require(action);
    if (rollout.phase != RolloutPhase.PAUSED) {
      throw forbidden(ErrorReason.ERROR_REASON_ROLLOUT_OVER, rollout, "is not paused");
    }
    rollout.forgiven = rollout.rejected;
    rollout.deaths = 0;
    rollout.otherDeaths = 0;
    rollout.breach = null;
    rollout.reason = "";
    ReleaseOrder order = table.order(rollout.target);
    for (GroupAgent agent : rollout.group.agents.values()) {
      if (agent.given.equals(order)) {
        agent.givenAt = tx.nanos();
      }
    }
    enter(rollout, RolloutPhase.RUNNING, rollout.stage, action.why().told("resumed"), tx);
    return view(rollout, tx);
  }

  /** All agents get what they had before, as a new generation. */
  public RolloutView abort(RolloutAction action, Tx tx) {
    Rollout rollout = require(action);
    abort(rollout, action.why().told("aborted"), tx);
    return view(rollout, tx);
  }

  private void abort(Rollout rollout, RolloutReason why, Tx tx) {
    ConfigGroup group = rollout.group;
    rollout.abortGeneration = group.next();
    rollout.reason = why.text();
    group.stable = rollout.base.as(rollout.abortGeneration);
    enter(rollout, RolloutPhase.ABORTED, rollout.stage, why, tx);
  }

  private Rollout require(RolloutAction action) {
    Rollout rollout = table.require(action.group()).rollout(action.generation());
    if (rollout.phase.isOver()) {
      throw forbidden(ErrorReason.ERROR_REASON_ROLLOUT_OVER, rollout, "is over");
    }
    ExpectedVersion.check("rollout", action.expectedVersion(), rollout.version);
    return rollout;
  }

  /**
   * @param generation the last one if 0
   */
  public RolloutView get(GroupName group, long generation, Tx tx) {
    return view(table.require(group).rollout(generation), tx);
  }

  /** The last rollout of each group. */
  public List<RolloutView> snapshot(String namespace, String group, long nanos) {
    return table.find(namespace).stream()
        .flatMap(space -> space.groups.values().stream())
        .filter(each -> group.isEmpty() || each.name.equals(group))
        .filter(each -> !each.rollouts.isEmpty())
        .map(each -> view(each.rollout(0), nanos).withoutHistory())
        .toList();
  }

  private void next(Rollout rollout, RolloutReason why, Tx tx) {
    if (rollout.isLastStage()) {
      rollout.group.stable = rollout.target;
      enter(rollout, RolloutPhase.DONE, rollout.stage, why, tx);
    } else {
      enter(rollout, RolloutPhase.RUNNING, rollout.stage + 1, why, tx);
    }
  }

  private void stop(Rollout rollout, RolloutReason why, Tx tx) {
    rollout.reason = why.text();
    enter(rollout, RolloutPhase.PAUSED, rollout.stage, why, tx);
  }

  /** The one place where a rollout changes. */
  private void enter(Rollout rollout, RolloutPhase phase, int stage, RolloutReason why, Tx tx) {
    ConfigGroup group = rollout.group;
    boolean wasPaused = rollout.phase == RolloutPhase.PAUSED;
    rollout.version += rollout.log.isEmpty() ? 0 : 1;
    rollout.phase = phase;
    rollout.stage = stage;
    rollout.since = table.time();
    if (phase == RolloutPhase.RUNNING) {
      rollout.bakeUntil = tx.nanos();
    }
    rollout.step(new RolloutStep(rollout.since, phase, stage, why.text(), why.actor()));
    table.events.paused((phase == RolloutPhase.PAUSED ? 1 : 0) - (wasPaused ? 1 : 0));
    table.events.rolloutBecame(phase);
    rollout.cancelTimer();
    if (phase.isOver()) {
      group.active = null;
      table.events.rollouts(-1);
    } else {
      arm(rollout, tx.nanos() + (phase == RolloutPhase.PAUSED ? PERIOD : 0), tx);
    }
    put(rollout, tx);
    tx.put(ConfigRows.keyOf(group), ConfigRows.encode(group));
    tx.emit(new Event(group.path(), view(rollout, tx).withoutHistory(), EVENT_BYTES));
    distribution.distribute(group, tx);
  }

  private static void put(Rollout rollout, Tx tx) {
    rollout.unwritten = false;
    tx.put(RolloutRows.keyOf(rollout), RolloutRows.encode(rollout));
  }

  private void arm(Rollout rollout, long due, Tx tx) {
    if (rollout.timer != null) {
      if (rollout.timerDue <= due) {
        return;
      }
      rollout.timer.cancel();
    }
    rollout.timerDue = due;
    rollout.timer = tx.at(due, later -> check(rollout, later));
  }

  /** An agent said something, or was sent something. */
  void heard(GroupAgent agent, Tx tx) {
    Rollout rollout = agent.group.active;
    if (rollout == null) {
      return;
    }
    if (agent.rejected.equals(table.order(rollout.target))) {
      rejected(agent, new AgentRejection(agent.agent.name, "", agent.error), tx);
    }
    arm(rollout, tx.nanos() + SOON, tx);
  }

  /** An agent rejected something. If that is too many, no other agent is sent it from here on. */
  void rejected(GroupAgent agent, AgentRejection rejection, Tx tx) {
    Rollout rollout = agent.group.active;
    if (rollout != null
        && agent.rejected.equals(table.order(rollout.target))
        && rollout.reject(rejection)) {
      if (rollout.rejected - rollout.forgiven > rollout.gates.maxRejections()) {
        String error = rejection.error().isEmpty() ? "" : ": " + rejection.error();
        breach(
            rollout, RolloutGate.REJECTIONS, "agent " + rejection.agent() + " rejected it" + error);
      }
      arm(rollout, tx.nanos(), tx);
    }
  }

  /** The session of an agent expired. */
  void died(GroupAgent agent, Tx tx) {
    Rollout rollout = agent.group.active;
    if (rollout == null) {
      return;
    }
    if (agent.given.equals(table.order(rollout.target))) {
      rollout.deaths++;
    } else {
      rollout.otherDeaths++;
    }
    rollout.unwritten = true;
    arm(rollout, tx.nanos(), tx);
  }

  private void breach(Rollout rollout, RolloutGate gate, String why) {
    if (rollout.breach == null && rollout.phase.isDelivering()) {
      rollout.breach = why;
      table.events.gateBroke(gate);
    }
  }

  /** What agents and time have led to. */
  private void check(Rollout rollout, Tx tx) {
    rollout.timer = null;
    if (rollout.phase.isOver()) {
      return;
    }
    if (rollout.phase != RolloutPhase.PAUSED) {
      boolean chosen = StagePins.choose(rollout, tx.nanos());
      RolloutCounts counts = AgentCount.of(rollout, table, tx.nanos());
      GateCheck.broken(rollout, counts, table)
          .ifPresent(broken -> breach(rollout, broken.gate(), broken.why()));
      if (rollout.breach != null) {
        RolloutReason why = RolloutReason.byItself(rollout.breach);
        if (rollout.gates.abort()) {
          abort(rollout, why, tx);
        } else {
          stop(rollout, why, tx);
        }
        return;
      }
      if (goOn(rollout, counts, tx)) {
        return;
      }
      if (chosen) {
        distribution.distribute(rollout.group, tx);
      }
    }
    if (rollout.unwritten) {
      put(rollout, tx);
    }
    arm(rollout, tx.nanos() + PERIOD, tx);
  }

  /** Whether the stage is over, or all its agents are reached. */
  private boolean goOn(Rollout rollout, RolloutCounts counts, Tx tx) {
    if (counts.open() > 0 || tx.nanos() < rollout.graceUntil) {
      return false;
    }
    RolloutStage stage = rollout.stages.get(rollout.stage);
    if (rollout.phase == RolloutPhase.RUNNING && bake(rollout) > 0) {
      rollout.bakeUntil = tx.nanos() + bake(rollout);
      enter(rollout, RolloutPhase.BAKING, rollout.stage, reached(counts), tx);
      return true;
    }
    if (rollout.phase == RolloutPhase.WAITING || tx.nanos() < rollout.bakeUntil) {
      return false;
    }
    if (stage.manual()) {
      RolloutReason why = RolloutReason.byItself("the stage is over; waits to be advanced");
      enter(rollout, RolloutPhase.WAITING, rollout.stage, why, tx);
    } else {
      next(rollout, reached(counts), tx);
    }
    return true;
  }

  private static RolloutReason reached(RolloutCounts counts) {
    return RolloutReason.byItself(
        "%d of %d agents applied it".formatted(counts.applied(), counts.targeted()));
  }

  private static long bake(Rollout rollout) {
    return rollout.stages.get(rollout.stage).bake().toNanos();
  }

  private RolloutView view(Rollout rollout, Tx tx) {
    return view(rollout, tx.nanos());
  }

  private RolloutView view(Rollout rollout, long nanos) {
    Optional<Duration> bakeLeft =
        rollout.phase == RolloutPhase.BAKING
            ? Optional.of(Duration.ofNanos(Math.max(0, rollout.bakeUntil - nanos)))
            : Optional.empty();
    return new RolloutView(
        new GroupName(rollout.group.namespace.name, rollout.group.name),
        table.epoch,
        rollout.target,
        rollout.base,
        new RolloutView.Plan(rollout.stages, rollout.gates),
        new RolloutView.Progress(
            rollout.phase,
            rollout.stage,
            rollout.reason,
            rollout.abortGeneration,
            rollout.version,
            bakeLeft,
            rollout.started,
            rollout.since),
        new RolloutView.Agents(
            rollout.group.agents.size(),
            AgentCount.of(rollout, table, nanos),
            rollout.rejected,
            rollout.deaths,
            rollout.otherDeaths),
        new RolloutView.History(
            List.copyOf(rollout.log), List.copyOf(rollout.rejections.values())));
  }

  void close() {
    for (ConfigNamespace space : table.namespaces()) {
      for (ConfigGroup group : space.groups.values()) {
        if (group.active != null) {
          table.events.rollouts(-1);
          table.events.paused(group.active.phase == RolloutPhase.PAUSED ? -1 : 0);
        }
      }
    }
  }
}
