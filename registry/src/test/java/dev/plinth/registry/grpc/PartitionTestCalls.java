package dev.plinth.registry.grpc;

import com.google.protobuf.Duration;
import dev.plinth.registry.v1.ExplainPartitionRequest;
import dev.plinth.registry.v1.ExplainPartitionResponse;
import dev.plinth.registry.v1.GetAssignmentRequest;
import dev.plinth.registry.v1.GetAssignmentResponse;
import dev.plinth.registry.v1.JoinGroupRequest;
import dev.plinth.registry.v1.JoinGroupResponse;
import dev.plinth.registry.v1.LeaveGroupRequest;
import dev.plinth.registry.v1.ListPartitionsRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.OwnedPartition;
import dev.plinth.registry.v1.Partition;
import dev.plinth.registry.v1.PartitionServiceGrpc;
import dev.plinth.registry.v1.PartitionServiceGrpc.PartitionServiceBlockingStub;
import dev.plinth.registry.v1.ReleasePartitionsRequest;
import dev.plinth.registry.v1.ReleasePartitionsResponse;
import dev.plinth.registry.v1.WatchPartitionsRequest;
import dev.plinth.registry.v1.WatchPartitionsResponse;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.GenericCaller;
import dev.plinth.testkit.call.RecordedStream;
import java.util.List;

/** Calls about partitions of one test, in the namespace of its members. */
final class PartitionTestCalls {
  static final GenericCaller ANY = new GenericCaller(PartitionServiceGrpc.getServiceDescriptor());

  final RegistryCalls members;
  private final ShardServer server;

  PartitionTestCalls(ShardServer server) {
    this.server = server;
    this.members = new RegistryCalls(server);
  }

  PartitionServiceBlockingStub partitions() {
    return PartitionServiceGrpc.newBlockingStub(server.channel());
  }

  /** A process with a member in a session of its own, which has joined. */
  OpenSessionResponse joined(String name, int count) {
    return joined(name, count, RegistryCalls.LONG);
  }

  OpenSessionResponse joined(String name, int count, Duration ttl) {
    OpenSessionResponse session = members.open(ttl);
    members.register(session, name);
    join(name, session, count);
    return session;
  }

  JoinGroupRequest.Builder joining(String name, OpenSessionResponse session, int count) {
    return JoinGroupRequest.newBuilder()
        .setNamespace(members.namespace)
        .setGroup(RegistryCalls.GROUP)
        .setName(name)
        .setSessionId(session.getSessionId())
        .setSessionIncarnation(session.getIncarnation())
        .setPartitionCount(count);
  }

  JoinGroupResponse join(String name, OpenSessionResponse session, int count) {
    return partitions().joinGroup(joining(name, session, count).build());
  }

  LeaveGroupRequest.Builder leaving(String name, OpenSessionResponse session) {
    return LeaveGroupRequest.newBuilder()
        .setNamespace(members.namespace)
        .setGroup(RegistryCalls.GROUP)
        .setName(name)
        .setSessionId(session.getSessionId());
  }

  ReleasePartitionsRequest.Builder releasing(String name, OpenSessionResponse session) {
    return ReleasePartitionsRequest.newBuilder()
        .setNamespace(members.namespace)
        .setGroup(RegistryCalls.GROUP)
        .setName(name)
        .setSessionId(session.getSessionId());
  }

  /** All that is revoked, at most 64. */
  ReleasePartitionsResponse releaseRevoked(String name, OpenSessionResponse session) {
    ReleasePartitionsRequest.Builder request = releasing(name, session);
    for (OwnedPartition owned : assignment(name, session).getPartitionsList()) {
      if (owned.getRevoked() && request.getPartitionsCount() < 64) {
        request
            .addPartitionsBuilder()
            .setPartition(owned.getPartition())
            .setToken(owned.getToken());
      }
    }
    return partitions().releasePartitions(request.build());
  }

  GetAssignmentRequest.Builder assigned(String name, OpenSessionResponse session) {
    return GetAssignmentRequest.newBuilder()
        .setNamespace(members.namespace)
        .setGroup(RegistryCalls.GROUP)
        .setName(name)
        .setSessionId(session.getSessionId());
  }

  GetAssignmentResponse assignment(String name, OpenSessionResponse session) {
    return partitions().getAssignment(assigned(name, session).build());
  }

  void awaitOwned(String name, OpenSessionResponse session, int count) {
    Await.until(
        name + " owns " + count, () -> assignment(name, session).getPartitionsCount() == count);
  }

  ListPartitionsRequest.Builder listing() {
    return ListPartitionsRequest.newBuilder()
        .setNamespace(members.namespace)
        .setGroup(RegistryCalls.GROUP);
  }

  List<Partition> list() {
    return partitions().listPartitions(listing().setPageSize(1000).build()).getPartitionsList();
  }

  WatchPartitionsRequest.Builder watching() {
    return WatchPartitionsRequest.newBuilder()
        .setNamespace(members.namespace)
        .setGroup(RegistryCalls.GROUP);
  }

  RecordedStream<WatchPartitionsRequest, WatchPartitionsResponse> watch(
      WatchPartitionsRequest.Builder request) {
    RecordedStream<WatchPartitionsRequest, WatchPartitionsResponse> stream = new RecordedStream<>();
    PartitionServiceGrpc.newStub(server.channel()).watchPartitions(request.build(), stream);
    return stream;
  }

  ExplainPartitionRequest.Builder explaining(int partition) {
    return ExplainPartitionRequest.newBuilder()
        .setNamespace(members.namespace)
        .setGroup(RegistryCalls.GROUP)
        .setPartition(partition);
  }

  ExplainPartitionResponse explain(int partition) {
    return partitions().explainPartition(explaining(partition).build());
  }
}
