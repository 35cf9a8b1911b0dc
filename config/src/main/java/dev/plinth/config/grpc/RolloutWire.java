package dev.plinth.config.grpc;

import dev.plinth.config.core.Release;
import dev.plinth.config.core.RolloutCounts;
import dev.plinth.config.core.RolloutGates;
import dev.plinth.config.core.RolloutPhase;
import dev.plinth.config.core.RolloutStage;
import dev.plinth.config.core.RolloutView;
import dev.plinth.config.core.StageTarget;
import dev.plinth.config.v1.Gates;
import dev.plinth.config.v1.LabelSelector;
import dev.plinth.config.v1.OnFailure;
import dev.plinth.config.v1.Phase;
import dev.plinth.config.v1.Rejection;
import dev.plinth.config.v1.RevisionTarget;
import dev.plinth.config.v1.Rollout;
import dev.plinth.config.v1.RolloutStep;
import dev.plinth.config.v1.Stage;
import dev.plinth.registry.core.LabelFilter;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;
import java.util.List;

/** Rollouts on the wire. */
final class RolloutWire {
  private static final WireEnum<RolloutPhase, Phase> PHASES =
      new WireEnum<>(RolloutPhase.class, Phase.class, "PHASE_");
  private static final double BUCKETS_PER_PERCENT = StageTarget.BUCKETS / 100.0;

  private RolloutWire() {}

  static Rollout rollout(RolloutView view) {
    RolloutView.Progress progress = view.progress();
    Rollout.Builder rollout =
        Rollout.newBuilder()
            .setNamespace(view.group().namespace())
            .setGroup(view.group().group())
            .setGeneration(view.target().generation())
            .setEpoch(view.epoch())
            .addAllTargets(targets(view.target()))
            .setBaseGeneration(view.base().generation())
            .addAllBase(targets(view.base()))
            .addAllStages(view.plan().stages().stream().map(RolloutWire::stage).toList())
            .setGates(gates(view.plan().gates()))
            .setOnFailure(
                view.plan().gates().abort()
                    ? OnFailure.ON_FAILURE_ABORT
                    : OnFailure.ON_FAILURE_HOLD)
            .setPhase(PHASES.of(progress.phase()))
            .setStage(progress.stage())
            .setReason(progress.reason())
            .setAbortGeneration(progress.abortGeneration())
            .setCounts(counts(view.agents()))
            .setVersion(progress.version())
            .setStartTime(FieldChecks.wire(progress.started()))
            .setPhaseSince(FieldChecks.wire(progress.since()));
    progress.bakeLeft().map(FieldChecks::wire).ifPresent(rollout::setBakeLeft);
    view.history().log().forEach(step -> rollout.addLog(step(step)));
    view.history()
        .rejections()
        .forEach(
            each ->
                rollout.addRejections(
                    Rejection.newBuilder()
                        .setAgent(each.agent())
                        .setConfig(each.config())
                        .setError(each.error())));
    return rollout.build();
  }

  private static List<RevisionTarget> targets(Release release) {
    return release.revisions().entrySet().stream()
        .map(
            each ->
                RevisionTarget.newBuilder()
                    .setConfig(each.getKey())
                    .setRevision(each.getValue())
                    .build())
        .toList();
  }

  private static Stage stage(RolloutStage stage) {
    Stage.Builder wire =
        Stage.newBuilder().setBake(FieldChecks.wire(stage.bake())).setManual(stage.manual());
    StageTarget target = stage.target();
    if (target instanceof StageTarget.Percent percent) {
      wire.setPercent(percent.buckets() / BUCKETS_PER_PERCENT);
    } else if (target instanceof StageTarget.Count count) {
      wire.setCount(count.agents());
    } else if (target instanceof StageTarget.Labels labels) {
      LabelSelector.Builder selector = LabelSelector.newBuilder();
      labels.filters().forEach(filter -> selector.addFilters(filter(filter)));
      wire.setLabels(selector);
    }
    return wire.build();
  }

  private static dev.plinth.registry.v1.LabelFilter filter(LabelFilter filter) {
    return dev.plinth.registry.v1.LabelFilter.newBuilder()
        .setKey(filter.key())
        .addAllValues(filter.values().stream().sorted().toList())
        .setAbsent(filter.absent())
        .build();
  }

  private static Gates gates(RolloutGates gates) {
    return Gates.newBuilder()
        .setMaxRejections(gates.maxRejections())
        .setAckTimeout(FieldChecks.wire(gates.ackTimeout()))
        .setMaxUnackedRatio(gates.maxUnackedRatio())
        .setMaxDeathRatio(gates.maxDeathRatio())
        .build();
  }

  private static dev.plinth.config.v1.RolloutCounts counts(RolloutView.Agents agents) {
    RolloutCounts counts = agents.counts();
    return dev.plinth.config.v1.RolloutCounts.newBuilder()
        .setAgents(agents.known())
        .setTargeted(counts.targeted())
        .setSent(counts.sent() + counts.unsent())
        .setStaged(counts.staged())
        .setApplied(counts.applied())
        .setRejected(agents.rejected())
        .setUnacked(counts.unacked())
        .setUnreachable(counts.unreachable())
        .setDeaths(agents.deaths())
        .setOtherDeaths(agents.otherDeaths())
        .build();
  }

  private static RolloutStep step(dev.plinth.config.core.RolloutStep step) {
    return RolloutStep.newBuilder()
        .setTime(FieldChecks.wire(step.time()))
        .setPhase(PHASES.of(step.phase()))
        .setStage(step.stage())
        .setText(step.text())
        .setActor(step.actor())
        .build();
  }
}
