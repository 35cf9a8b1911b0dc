package dev.plinth.config.grpc;

import dev.plinth.config.core.Configs;
import dev.plinth.config.core.GroupName;
import dev.plinth.config.core.RolloutAction;
import dev.plinth.config.core.RolloutReason;
import dev.plinth.config.core.RolloutSpec;
import dev.plinth.config.core.RolloutStage;
import dev.plinth.config.v1.AbortRolloutRequest;
import dev.plinth.config.v1.AbortRolloutResponse;
import dev.plinth.config.v1.AdvanceRolloutRequest;
import dev.plinth.config.v1.AdvanceRolloutResponse;
import dev.plinth.config.v1.GetRolloutRequest;
import dev.plinth.config.v1.GetRolloutResponse;
import dev.plinth.config.v1.PauseRolloutRequest;
import dev.plinth.config.v1.PauseRolloutResponse;
import dev.plinth.config.v1.ResumeRolloutRequest;
import dev.plinth.config.v1.ResumeRolloutResponse;
import dev.plinth.config.v1.RollbackRequest;
import dev.plinth.config.v1.RollbackResponse;
import dev.plinth.config.v1.StartRolloutRequest;
import dev.plinth.config.v1.StartRolloutResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.StateFunction;
import java.util.List;
import java.util.Optional;

/** The calls of operators that start rollouts and decide about them. */
final class RolloutCalls {
  private RolloutCalls() {}

  static StateFunction<Configs, StartRolloutResponse> start(
      String namespace, StartRolloutRequest request) {
    RolloutSpec spec =
        new RolloutSpec(
            namespace,
            RolloutFields.targets(request.getTargetsList()),
            expectedGeneration(request.hasExpectedGeneration(), request.getExpectedGeneration()),
            RolloutFields.stages(request.getStagesList()),
            RolloutFields.gates(request.getGates(), request.getOnFailure()),
            why(request.getActor(), request.getComment()));
    return (configs, tx) ->
        StartRolloutResponse.newBuilder()
            .setRollout(RolloutWire.rollout(configs.rollouts().start(spec, tx)))
            .build();
  }

  static StateFunction<Configs, RollbackResponse> rollback(
      String namespace, RollbackRequest request) {
    RolloutSpec spec =
        new RolloutSpec(
            namespace,
            RolloutFields.targets(request.getTargetsList()),
            expectedGeneration(request.hasExpectedGeneration(), request.getExpectedGeneration()),
            rollbackStages(request),
            RolloutFields.gates(request.getGates(), request.getOnFailure()),
            why(request.getActor(), request.getComment()));
    return (configs, tx) ->
        RollbackResponse.newBuilder()
            .setRollout(RolloutWire.rollout(configs.rollouts().start(spec, tx)))
            .build();
  }

  private static List<RolloutStage> rollbackStages(RollbackRequest request) {
    if (request.getStaged()) {
      return RolloutFields.stages(request.getStagesList());
    }
    if (request.getStagesCount() > 0) {
      throw Failure.Invalid.field(
          "stages", request.getStagesCount() + " of them", "none unless staged is set");
    }
    return RolloutStage.atOnce();
  }

  private static Optional<Long> expectedGeneration(boolean given, long value) {
    return given
        ? Optional.of(FieldChecks.between("expected_generation", value, 0, Long.MAX_VALUE))
        : Optional.empty();
  }

  private static RolloutReason why(String actor, String comment) {
    return new RolloutReason(ConfigWire.comment(comment), ConfigWire.actor(actor));
  }

  static StateFunction<Configs, AdvanceRolloutResponse> advance(
      String namespace, AdvanceRolloutRequest request) {
    RolloutAction action =
        action(
            ConfigWire.group(namespace, request.getGroup()),
            request.getGeneration(),
            FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion()),
            why(request.getActor(), request.getComment()));
    return (configs, tx) ->
        AdvanceRolloutResponse.newBuilder()
            .setRollout(RolloutWire.rollout(configs.rollouts().advance(action, tx)))
            .build();
  }

  static StateFunction<Configs, PauseRolloutResponse> pause(
      String namespace, PauseRolloutRequest request) {
    RolloutAction action =
        action(
            ConfigWire.group(namespace, request.getGroup()),
            request.getGeneration(),
            FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion()),
            why(request.getActor(), request.getComment()));
    return (configs, tx) ->
        PauseRolloutResponse.newBuilder()
            .setRollout(RolloutWire.rollout(configs.rollouts().pause(action, tx)))
            .build();
  }

  static StateFunction<Configs, ResumeRolloutResponse> resume(
      String namespace, ResumeRolloutRequest request) {
    RolloutAction action =
        action(
            ConfigWire.group(namespace, request.getGroup()),
            request.getGeneration(),
            FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion()),
            why(request.getActor(), request.getComment()));
    return (configs, tx) ->
        ResumeRolloutResponse.newBuilder()
            .setRollout(RolloutWire.rollout(configs.rollouts().resume(action, tx)))
            .build();
  }

  static StateFunction<Configs, AbortRolloutResponse> abort(
      String namespace, AbortRolloutRequest request) {
    RolloutAction action =
        action(
            ConfigWire.group(namespace, request.getGroup()),
            request.getGeneration(),
            FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion()),
            why(request.getActor(), request.getComment()));
    return (configs, tx) ->
        AbortRolloutResponse.newBuilder()
            .setRollout(RolloutWire.rollout(configs.rollouts().abort(action, tx)))
            .build();
  }

  private static RolloutAction action(
      GroupName group, long generation, Optional<Long> version, RolloutReason why) {
    return new RolloutAction(group, ConfigWire.revision("generation", generation), version, why);
  }

  static StateFunction<Configs, GetRolloutResponse> get(
      String namespace, GetRolloutRequest request) {
    GroupName group = ConfigWire.group(namespace, request.getGroup());
    long generation = ConfigWire.optionalRevision("generation", request.getGeneration());
    return (configs, tx) ->
        GetRolloutResponse.newBuilder()
            .setRollout(RolloutWire.rollout(configs.rollouts().get(group, generation, tx)))
            .build();
  }
}
