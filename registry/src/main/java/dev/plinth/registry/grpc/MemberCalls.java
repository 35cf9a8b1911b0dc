package dev.plinth.registry.grpc;

import dev.plinth.registry.core.MemberAttributes;
import dev.plinth.registry.core.MemberEnd;
import dev.plinth.registry.core.MemberName;
import dev.plinth.registry.core.MemberUpdate;
import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.RegisterResult;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.registry.v1.DeregisterRequest;
import dev.plinth.registry.v1.DeregisterResponse;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegisterResponse;
import dev.plinth.registry.v1.ReleaseExpiryHoldRequest;
import dev.plinth.registry.v1.ReleaseExpiryHoldResponse;
import dev.plinth.registry.v1.SetOverrideRequest;
import dev.plinth.registry.v1.SetOverrideResponse;
import dev.plinth.registry.v1.UpdateMemberRequest;
import dev.plinth.registry.v1.UpdateMemberResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Command;
import dev.plinth.shards.StateFunction;
import java.util.List;
import java.util.Optional;

/** The calls that make, change and end members, for their processes and for operators. */
final class MemberCalls {
  private static final int DEFAULT_WEIGHT = 100;
  private static final List<String> UPDATABLE =
      List.of("labels", "endpoints", "weight", "draining");

  private MemberCalls() {}

  static StateFunction<Members, RegisterResponse> register(
      String namespace, RegisterRequest request) {
    MemberName name = RegistryWire.name(namespace, request.getGroup(), request.getName());
    SessionKey session =
        RegistryWire.session(
            namespace,
            request.getSessionId(),
            "session_incarnation",
            request.getSessionIncarnation());
    MemberAttributes attributes =
        new MemberAttributes(
            RegistryWire.labels(request.getLabelsMap()),
            RegistryWire.endpoints(request.getEndpointsList()),
            request.hasWeight() ? RegistryWire.weight(request.getWeight()) : DEFAULT_WEIGHT);
    return (members, tx) -> {
      RegisterResult result = members.register(name, session, attributes, request.getReplace(), tx);
      return RegisterResponse.newBuilder()
          .setOutcome(
              result instanceof RegisterResult.Registered
                  ? RegisterResponse.Outcome.OUTCOME_REGISTERED
                  : RegisterResponse.Outcome.OUTCOME_TAKEN)
          .setMember(RegistryWire.member(result.member()))
          .build();
    };
  }

  static StateFunction<Members, UpdateMemberResponse> update(
      String namespace, UpdateMemberRequest request) {
    MemberName name = RegistryWire.name(namespace, request.getGroup(), request.getName());
    long incarnation = RegistryWire.incarnation("incarnation", request.getIncarnation());
    Optional<Long> expected =
        FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion());
    MemberUpdate update = update(request);
    return (members, tx) ->
        UpdateMemberResponse.newBuilder()
            .setMember(RegistryWire.member(members.update(name, incarnation, update, expected, tx)))
            .build();
  }

  private static MemberUpdate update(UpdateMemberRequest request) {
    List<String> paths = request.getUpdateMask().getPathsList();
    for (String path : paths) {
      if (!UPDATABLE.contains(path)) {
        throw maskRefusal(FieldChecks.quoted(path));
      }
    }
    if (paths.isEmpty()) {
      throw maskRefusal("empty");
    }
    return new MemberUpdate(
        paths.contains("labels")
            ? Optional.of(RegistryWire.labels(request.getLabelsMap()))
            : Optional.empty(),
        paths.contains("endpoints")
            ? Optional.of(RegistryWire.endpoints(request.getEndpointsList()))
            : Optional.empty(),
        paths.contains("weight")
            ? Optional.of(RegistryWire.weight(request.getWeight()))
            : Optional.empty(),
        paths.contains("draining") ? Optional.of(request.getDraining()) : Optional.empty());
  }

  private static Failure maskRefusal(String value) {
    return Failure.Invalid.field("update_mask", value, "some of " + String.join(", ", UPDATABLE));
  }

  static StateFunction<Members, DeregisterResponse> deregister(
      String namespace, DeregisterRequest request) {
    MemberName name = RegistryWire.name(namespace, request.getGroup(), request.getName());
    Optional<Long> incarnation =
        request.hasIncarnation()
            ? Optional.of(RegistryWire.incarnation("incarnation", request.getIncarnation()))
            : Optional.empty();
    MemberEnd how = request.getForce() ? forced(request) : MemberEnd.deregistered();
    String session =
        request.getForce()
            ? none("session_id", request.getSessionId(), "none with force")
            : RegistryWire.sessionId(request.getSessionId());
    if (!request.getForce()) {
      none("actor", request.getActor(), "none without force");
      none("reason", request.getReason(), "none without force");
    }
    return (members, tx) ->
        DeregisterResponse.newBuilder()
            .setOutcome(
                RegistryWire.DEREGISTERED.of(
                    members.deregister(name, session, incarnation, how, tx)))
            .build();
  }

  private static MemberEnd forced(DeregisterRequest request) {
    return MemberEnd.forced(actor(request.getActor()), reason(request.getReason()));
  }

  private static String none(String field, String value, String expected) {
    if (!value.isEmpty()) {
      throw Failure.Invalid.field(field, FieldChecks.quoted(value), expected);
    }
    return value;
  }

  private static String actor(String value) {
    return FieldChecks.name("actor", value, RegistryWire.MAX_NAME);
  }

  private static String reason(String value) {
    return FieldChecks.optionalName("reason", value, RegistryWire.MAX_REASON);
  }

  static StateFunction<Members, SetOverrideResponse> setOverride(
      String namespace, SetOverrideRequest request) {
    MemberName name = RegistryWire.name(namespace, request.getGroup(), request.getName());
    boolean outOfService =
        switch (request.getOverride()) {
          case OVERRIDE_UNSPECIFIED -> false;
          case OVERRIDE_OUT_OF_SERVICE -> true;
          default ->
              throw Failure.Invalid.field(
                  "override", request.getOverrideValue(), "OUT_OF_SERVICE or none");
        };
    String actor = actor(request.getActor());
    String reason = reason(request.getReason());
    return (members, tx) -> {
      SetOverrideResponse.Builder response = SetOverrideResponse.newBuilder();
      (outOfService
              ? members.takeOutOfService(name, actor, reason, tx)
              : members.endOverride(name, tx))
          .map(RegistryWire::member)
          .ifPresent(response::setMember);
      return response.build();
    };
  }

  static Command<Members, ReleaseExpiryHoldResponse> releaseHold(
      String namespace, ReleaseExpiryHoldRequest request) {
    String group = RegistryWire.group(request.getGroup());
    return (members, tx, reply) ->
        members.releaseHold(
            namespace,
            group,
            (released, last) ->
                reply.send(
                    last, ReleaseExpiryHoldResponse.newBuilder().setReleased(released).build()),
            tx);
  }
}
