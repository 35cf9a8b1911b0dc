package dev.plinth.registry.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.CloseSessionRequest;
import dev.plinth.registry.v1.DeregisterRequest;
import dev.plinth.registry.v1.Endpoint;
import dev.plinth.registry.v1.ExplainMemberRequest;
import dev.plinth.registry.v1.ExplainMemberResponse;
import dev.plinth.registry.v1.GetMemberRequest;
import dev.plinth.registry.v1.ListMembersRequest;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegisterResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.RegistryServiceGrpc.RegistryServiceBlockingStub;
import dev.plinth.registry.v1.SetOverrideRequest;
import dev.plinth.registry.v1.UpdateMemberRequest;
import dev.plinth.registry.v1.WatchMembersRequest;
import dev.plinth.registry.v1.WatchMembersResponse;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.GenericCaller;
import dev.plinth.testkit.call.RecordedStream;
import java.util.List;
import java.util.UUID;

/** Calls of one test, in a namespace of its own. */
final class RegistryCalls {
  static final GenericCaller ANY = new GenericCaller(RegistryServiceGrpc.getServiceDescriptor());
  static final Duration LONG = Durations.fromMinutes(10);
  static final Duration SHORT = Durations.fromSeconds(1);
  static final String GROUP = "web";

  final String namespace = "r-" + UUID.randomUUID().toString().substring(0, 12);
  private final ShardServer server;

  RegistryCalls(ShardServer server) {
    this.server = server;
  }

  RegistryServiceBlockingStub registry() {
    return RegistryServiceGrpc.newBlockingStub(server.channel());
  }

  OpenSessionRequest.Builder opening(Duration ttl) {
    return OpenSessionRequest.newBuilder().setNamespace(namespace).setClient("test").setTtl(ttl);
  }

  OpenSessionResponse open(Duration ttl) {
    return registry().openSession(opening(ttl).build());
  }

  BeatRequest.Builder beating(OpenSessionResponse session) {
    return BeatRequest.newBuilder()
        .setNamespace(namespace)
        .setSessionId(session.getSessionId())
        .setIncarnation(session.getIncarnation());
  }

  BeatResponse beat(OpenSessionResponse session) {
    return registry().beat(beating(session).build());
  }

  CloseSessionRequest.Builder closing(OpenSessionResponse session) {
    return CloseSessionRequest.newBuilder()
        .setNamespace(namespace)
        .setSessionId(session.getSessionId())
        .setIncarnation(session.getIncarnation());
  }

  int close(OpenSessionResponse session) {
    return registry().closeSession(closing(session).build()).getLeft();
  }

  RegisterRequest.Builder registering(OpenSessionResponse session, String name) {
    return RegisterRequest.newBuilder()
        .setNamespace(namespace)
        .setGroup(GROUP)
        .setName(name)
        .setSessionId(session.getSessionId())
        .setSessionIncarnation(session.getIncarnation())
        .addEndpoints(Endpoint.newBuilder().setName("grpc").setAddress("10.0.0.7:8080"));
  }

  Member register(OpenSessionResponse session, String name) {
    return register(registering(session, name));
  }

  Member register(RegisterRequest.Builder request) {
    RegisterResponse response = registry().register(request.build());
    assertEquals(RegisterResponse.Outcome.OUTCOME_REGISTERED, response.getOutcome());
    return response.getMember();
  }

  UpdateMemberRequest.Builder updating(Member member, String... paths) {
    UpdateMemberRequest.Builder request =
        UpdateMemberRequest.newBuilder()
            .setNamespace(namespace)
            .setGroup(member.getGroup())
            .setName(member.getName())
            .setIncarnation(member.getIncarnation());
    List.of(paths).forEach(request.getUpdateMaskBuilder()::addPaths);
    return request;
  }

  DeregisterRequest.Builder deregistering(Member member) {
    return DeregisterRequest.newBuilder()
        .setNamespace(namespace)
        .setGroup(member.getGroup())
        .setName(member.getName())
        .setSessionId(member.getSessionId());
  }

  SetOverrideRequest.Builder overriding(String name) {
    return SetOverrideRequest.newBuilder()
        .setNamespace(namespace)
        .setGroup(GROUP)
        .setName(name)
        .setActor("olga")
        .setReason("bad disk");
  }

  Member get(String name) {
    return registry()
        .getMember(
            GetMemberRequest.newBuilder()
                .setNamespace(namespace)
                .setGroup(GROUP)
                .setName(name)
                .build())
        .getMember();
  }

  MemberState state(String name) {
    return get(name).getState();
  }

  void awaitState(String name, MemberState state) {
    Await.until(name + " is " + state, () -> state(name) == state);
  }

  ExplainMemberResponse explain(String name) {
    return registry()
        .explainMember(
            ExplainMemberRequest.newBuilder()
                .setNamespace(namespace)
                .setGroup(GROUP)
                .setName(name)
                .build());
  }

  ListMembersRequest.Builder listing() {
    return ListMembersRequest.newBuilder().setNamespace(namespace);
  }

  List<Member> list() {
    return registry().listMembers(listing().setPageSize(1000).build()).getMembersList();
  }

  WatchMembersRequest.Builder watching() {
    return WatchMembersRequest.newBuilder().setNamespace(namespace);
  }

  RecordedStream<WatchMembersRequest, WatchMembersResponse> watch(
      WatchMembersRequest.Builder request) {
    RecordedStream<WatchMembersRequest, WatchMembersResponse> stream = new RecordedStream<>();
    RegistryServiceGrpc.newStub(server.channel()).watchMembers(request.build(), stream);
    return stream;
  }
}
