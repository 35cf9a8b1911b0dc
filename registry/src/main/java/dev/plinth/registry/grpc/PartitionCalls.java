package dev.plinth.registry.grpc;

import dev.plinth.registry.core.MemberName;
import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.registry.partition.PartitionGroupSummary;
import dev.plinth.registry.partition.PartitionGroups;
import dev.plinth.registry.partition.PartitionMemberKey;
import dev.plinth.registry.partition.PartitionReleases;
import dev.plinth.registry.partition.PartitionToken;
import dev.plinth.registry.partition.ReleaseOutcome;
import dev.plinth.registry.v1.JoinGroupRequest;
import dev.plinth.registry.v1.JoinGroupResponse;
import dev.plinth.registry.v1.LeaveGroupRequest;
import dev.plinth.registry.v1.LeaveGroupResponse;
import dev.plinth.registry.v1.PartitionRelease;
import dev.plinth.registry.v1.ReleasePartitionsRequest;
import dev.plinth.registry.v1.ReleasePartitionsResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.StateFunction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** The calls that join and leave partition groups, and release partitions. */
final class PartitionCalls {
  private static final int MAX_RELEASES = 64;
  private static final WireEnum<ReleaseOutcome, PartitionRelease.Outcome> RELEASES =
      new WireEnum<>(ReleaseOutcome.class, PartitionRelease.Outcome.class, "OUTCOME_");

  private PartitionCalls() {}

  static StateFunction<Members, JoinGroupResponse> join(
      String namespace, JoinGroupRequest request) {
    MemberName name = RegistryWire.name(namespace, request.getGroup(), request.getName());
    SessionKey session =
        RegistryWire.session(
            namespace,
            request.getSessionId(),
            "session_incarnation",
            request.getSessionIncarnation());
    int count =
        FieldChecks.between(
            "partition_count", request.getPartitionCount(), 1, PartitionGroups.MAX_PARTITIONS);
    return (members, tx) -> {
      PartitionGroupSummary group = members.joinGroup(name, session, count, tx);
      return JoinGroupResponse.newBuilder()
          .setPartitionCount(group.count())
          .setMembers(group.members())
          .build();
    };
  }

  static StateFunction<Members, LeaveGroupResponse> leave(
      String namespace, LeaveGroupRequest request) {
    PartitionMemberKey member =
        PartitionWire.member(
            namespace, request.getGroup(), request.getName(), request.getSessionId());
    return (members, tx) -> {
      OptionalInt released = members.partitions().leave(member, tx);
      return LeaveGroupResponse.newBuilder()
          .setOutcome(
              released.isPresent()
                  ? LeaveGroupResponse.Outcome.OUTCOME_LEFT
                  : LeaveGroupResponse.Outcome.OUTCOME_GONE)
          .setReleased(released.orElse(0))
          .build();
    };
  }

  static StateFunction<Members, ReleasePartitionsResponse> release(
      String namespace, ReleasePartitionsRequest request) {
    PartitionMemberKey member =
        PartitionWire.member(
            namespace, request.getGroup(), request.getName(), request.getSessionId());
    List<PartitionToken> partitions = partitions(request.getPartitionsList());
    return (members, tx) -> {
      PartitionReleases releases = members.partitions().release(member, partitions, tx);
      ReleasePartitionsResponse.Builder response =
          ReleasePartitionsResponse.newBuilder().setRevoked(releases.revoked());
      for (int i = 0; i < partitions.size(); i++) {
        response
            .addPartitionsBuilder()
            .setPartition(partitions.get(i).partition())
            .setOutcome(RELEASES.of(releases.outcomes().get(i)));
      }
      return response.build();
    };
  }

  private static List<PartitionToken> partitions(
      List<dev.plinth.registry.v1.PartitionToken> partitions) {
    if (partitions.isEmpty() || partitions.size() > MAX_RELEASES) {
      throw Failure.Invalid.field(
          "partitions", partitions.size() + " of them", "1 to " + MAX_RELEASES);
    }
    Set<Integer> numbers = new HashSet<>();
    List<PartitionToken> checked = new ArrayList<>();
    for (int i = 0; i < partitions.size(); i++) {
      String path = "partitions[" + i + "].";
      int number =
          FieldChecks.between(
              path + "partition",
              partitions.get(i).getPartition(),
              0,
              PartitionGroups.MAX_PARTITIONS - 1);
      long token = partitions.get(i).getToken();
      if (token <= 0) {
        throw Failure.Invalid.field(path + "token", token, "a token as told, above 0");
      }
      if (!numbers.add(number)) {
        throw Failure.Invalid.field(path + "partition", number, "each partition once");
      }
      checked.add(new PartitionToken(number, token));
    }
    return checked;
  }
}
