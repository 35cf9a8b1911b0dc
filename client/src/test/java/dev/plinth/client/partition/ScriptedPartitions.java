package dev.plinth.client.partition;

import dev.plinth.client.ScriptedRegistry;
import dev.plinth.registry.v1.GetAssignmentRequest;
import dev.plinth.registry.v1.GetAssignmentResponse;
import dev.plinth.registry.v1.JoinGroupRequest;
import dev.plinth.registry.v1.JoinGroupResponse;
import dev.plinth.registry.v1.OwnedPartition;
import dev.plinth.registry.v1.Partition;
import dev.plinth.registry.v1.PartitionServiceGrpc.PartitionServiceImplBase;
import dev.plinth.registry.v1.PartitionToken;
import dev.plinth.registry.v1.ReleasePartitionsRequest;
import dev.plinth.registry.v1.ReleasePartitionsResponse;
import io.grpc.Status.Code;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Partitions of one member, as a test has them. */
final class ScriptedPartitions extends PartitionServiceImplBase {
  final List<PartitionToken> released = new ArrayList<>();
  private final Map<Integer, OwnedPartition> owned = new TreeMap<>();
  ScriptedRegistry registry;
  String joinedIn = "";
  int joins;
  int reads;
  int releases;

  void assign(int partition, long token) {
    owned.put(
        partition, OwnedPartition.newBuilder().setPartition(partition).setToken(token).build());
  }

  void revoke(int partition) {
    owned.computeIfPresent(partition, (number, each) -> each.toBuilder().setRevoked(true).build());
  }

  /** As if the member had been declared dead. */
  void takeAll() {
    owned.clear();
    joinedIn = "";
  }

  /** What the watch would say. */
  static List<Partition> change() {
    return List.of(Partition.newBuilder().setOwner("ann").build());
  }

  @Override
  public void joinGroup(JoinGroupRequest request, StreamObserver<JoinGroupResponse> to) {
    joins++;
    if (registry.failure.isOk()) {
      joinedIn = request.getSessionId();
    }
    registry.reply(to, JoinGroupResponse.getDefaultInstance());
  }

  @Override
  public void getAssignment(
      GetAssignmentRequest request, StreamObserver<GetAssignmentResponse> to) {
    reads++;
    if (registry.failure.isOk() && !request.getSessionId().equals(joinedIn)) {
      to.onError(ScriptedRegistry.refusal(Code.NOT_FOUND, "MEMBER_NOT_JOINED"));
      return;
    }
    registry.reply(to, GetAssignmentResponse.newBuilder().addAllPartitions(owned.values()).build());
  }

  @Override
  public void releasePartitions(
      ReleasePartitionsRequest request, StreamObserver<ReleasePartitionsResponse> to) {
    releases++;
    if (registry.failure.isOk()) {
      released.addAll(request.getPartitionsList());
      request.getPartitionsList().forEach(each -> owned.remove(each.getPartition()));
    }
    registry.reply(to, ReleasePartitionsResponse.getDefaultInstance());
  }
}
