package dev.plinth.registry.grpc;

import dev.plinth.registry.core.BeatResult;
import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.OpenedSession;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.CloseSessionRequest;
import dev.plinth.registry.v1.CloseSessionResponse;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.Command;
import dev.plinth.shards.StateFunction;
import java.time.Duration;

/** The calls that open, keep and close sessions. */
final class MemberSessionCalls {
  private static final Duration DEFAULT_TTL = Duration.ofSeconds(15);
  private static final Duration MIN_TTL = Duration.ofSeconds(1);
  private static final Duration MAX_TTL = Duration.ofHours(1);

  private MemberSessionCalls() {}

  static StateFunction<Members, OpenSessionResponse> open(
      String namespace, OpenSessionRequest request) {
    String client = FieldChecks.name("client", request.getClient(), RegistryWire.MAX_NAME);
    Duration ttl =
        FieldChecks.duration(
            "ttl", request.hasTtl() ? request.getTtl() : null, DEFAULT_TTL, MIN_TTL, MAX_TTL);
    return (members, tx) -> response(members.sessions().open(namespace, client, ttl, tx));
  }

  private static OpenSessionResponse response(OpenedSession session) {
    return OpenSessionResponse.newBuilder()
        .setSessionId(session.id())
        .setIncarnation(session.incarnation())
        .setTtl(FieldChecks.wire(session.ttl()))
        .setBeatInterval(FieldChecks.wire(session.beatInterval()))
        .setSuspectAfter(FieldChecks.wire(session.ttl()))
        .setDeadAfter(FieldChecks.wire(session.deadAfter()))
        .setMaxHold(FieldChecks.wire(session.maxHold()))
        .setPresenceEpoch(session.presenceEpoch())
        .build();
  }

  static Command<Members, BeatResponse> beat(String namespace, BeatRequest request) {
    SessionKey key =
        RegistryWire.session(namespace, request.getSessionId(), request.getIncarnation());
    return (members, tx, reply) -> {
      BeatResult told = members.sessions().beat(key, null, tx);
      reply.sendNow(
          BeatResponse.newBuilder()
              .setTtl(FieldChecks.wire(told.ttl()))
              .setNextIn(FieldChecks.wire(told.nextIn()))
              .setMembers(told.members())
              .addAllLost(RegistryWire.lost(told.lost()))
              .setPresenceEpoch(told.presenceEpoch())
              .setPresences(told.presences())
              .build());
    };
  }

  static Command<Members, CloseSessionResponse> close(
      String namespace, CloseSessionRequest request) {
    SessionKey key =
        RegistryWire.session(namespace, request.getSessionId(), request.getIncarnation());
    return (members, tx, reply) ->
        members
            .sessions()
            .close(
                key,
                (left, last) ->
                    reply.send(last, CloseSessionResponse.newBuilder().setLeft(left).build()),
                tx);
  }
}
