package dev.plinth.registry.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.registry.v1.CountPresenceRequest;
import dev.plinth.registry.v1.CountPresenceResponse;
import dev.plinth.registry.v1.ListPresenceRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.Presence;
import dev.plinth.registry.v1.PresenceServiceGrpc;
import dev.plinth.registry.v1.PresenceServiceGrpc.PresenceServiceBlockingStub;
import dev.plinth.registry.v1.TrackRequest;
import dev.plinth.registry.v1.TrackResponse;
import dev.plinth.registry.v1.UntrackRequest;
import dev.plinth.registry.v1.UntrackResponse;
import dev.plinth.registry.v1.WatchPresenceRequest;
import dev.plinth.registry.v1.WatchPresenceResponse;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.GenericCaller;
import dev.plinth.testkit.call.RecordedStream;
import java.util.List;

/** Calls of one test in rooms, beside those of its sessions. */
final class RoomCalls {
  static final GenericCaller ANY = new GenericCaller(PresenceServiceGrpc.getServiceDescriptor());
  static final String ROOM = "lobby";

  final RegistryCalls registry;
  private final ShardServer server;
  private long lastSeq;

  RoomCalls(ShardServer server) {
    this(server, new RegistryCalls(server));
  }

  RoomCalls(ShardServer server, RegistryCalls registry) {
    this.server = server;
    this.registry = registry;
  }

  PresenceServiceBlockingStub presence() {
    return PresenceServiceGrpc.newBlockingStub(server.channel());
  }

  TrackRequest.Builder tracking(OpenSessionResponse session, String key) {
    return TrackRequest.newBuilder()
        .setNamespace(registry.namespace)
        .setSessionId(session.getSessionId())
        .setSessionIncarnation(session.getIncarnation())
        .setPresenceEpoch(session.getPresenceEpoch())
        .setRoom(ROOM)
        .setKey(key)
        .setDevice("phone")
        .putMeta("status", "here")
        .setSeq(++lastSeq);
  }

  Presence track(OpenSessionResponse session, String key) {
    return track(tracking(session, key));
  }

  Presence track(TrackRequest.Builder request) {
    TrackResponse response = presence().track(request.build());
    assertEquals(TrackResponse.Outcome.OUTCOME_TRACKED, response.getOutcome());
    return response.getPresence();
  }

  UntrackRequest.Builder untracking(OpenSessionResponse session, String key) {
    return UntrackRequest.newBuilder()
        .setNamespace(registry.namespace)
        .setSessionId(session.getSessionId())
        .setSessionIncarnation(session.getIncarnation())
        .setRoom(ROOM)
        .setKey(key)
        .setDevice("phone")
        .setSeq(++lastSeq);
  }

  UntrackResponse.Outcome untrack(OpenSessionResponse session, String key) {
    return presence().untrack(untracking(session, key).build()).getOutcome();
  }

  ListPresenceRequest.Builder listing() {
    return ListPresenceRequest.newBuilder().setNamespace(registry.namespace).setRoom(ROOM);
  }

  List<Presence> list() {
    return presence().listPresence(listing().setPageSize(1000).build()).getPresencesList();
  }

  CountPresenceRequest counting() {
    return CountPresenceRequest.newBuilder().setNamespace(registry.namespace).setRoom(ROOM).build();
  }

  CountPresenceResponse count() {
    return presence().countPresence(counting());
  }

  WatchPresenceRequest.Builder watching() {
    return WatchPresenceRequest.newBuilder().setNamespace(registry.namespace).setRoom(ROOM);
  }

  RecordedStream<WatchPresenceRequest, WatchPresenceResponse> watch(
      WatchPresenceRequest.Builder request) {
    RecordedStream<WatchPresenceRequest, WatchPresenceResponse> stream = new RecordedStream<>();
    PresenceServiceGrpc.newStub(server.channel()).watchPresence(request.build(), stream);
    return stream;
  }
}
