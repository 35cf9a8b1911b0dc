package dev.plinth.registry.grpc;

import dev.plinth.registry.core.MemberName;
import dev.plinth.registry.core.Members;
import dev.plinth.registry.partition.PartitionAssignment;
import dev.plinth.registry.partition.PartitionExplanation;
import dev.plinth.registry.partition.PartitionGroupName;
import dev.plinth.registry.partition.PartitionGroups;
import dev.plinth.registry.partition.PartitionMemberKey;
import dev.plinth.registry.partition.PartitionPage;
import dev.plinth.registry.partition.PartitionState;
import dev.plinth.registry.partition.PartitionView;
import dev.plinth.registry.v1.ExplainPartitionRequest;
import dev.plinth.registry.v1.ExplainPartitionResponse;
import dev.plinth.registry.v1.GetAssignmentRequest;
import dev.plinth.registry.v1.GetAssignmentResponse;
import dev.plinth.registry.v1.ListPartitionsRequest;
import dev.plinth.registry.v1.ListPartitionsResponse;
import dev.plinth.registry.v1.OwnedPartition;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.StateFunction;
import dev.plinth.shards.grpc.PageTokenFormat;

/** The calls that look at partitions. */
final class PartitionQueryCalls {
  // The format's number, then the partition to go on with.
  private static final PageTokenFormat PAGES = new PageTokenFormat("p", "1", "[0-9]{1,4}", 16);

  private PartitionQueryCalls() {}

  static StateFunction<Members, GetAssignmentResponse> assignment(
      String namespace, GetAssignmentRequest request) {
    PartitionMemberKey member =
        PartitionWire.member(
            namespace, request.getGroup(), request.getName(), request.getSessionId());
    return (members, tx) -> {
      PartitionAssignment assignment = members.partitions().assignment(member);
      return GetAssignmentResponse.newBuilder()
          .setPartitionCount(assignment.count())
          .setMembers(assignment.members())
          .addAllPartitions(assignment.owned().stream().map(PartitionQueryCalls::owned).toList())
          .setRevoked(assignment.revoked())
          .build();
    };
  }

  private static OwnedPartition owned(PartitionView view) {
    return OwnedPartition.newBuilder()
        .setPartition(view.partition())
        .setToken(view.token())
        .setRevoked(view.state() == PartitionState.REVOKED)
        .build();
  }

  static StateFunction<Members, ListPartitionsResponse> list(
      String namespace, ListPartitionsRequest request) {
    PartitionPage.Request asked =
        new PartitionPage.Request(
            PartitionWire.group(namespace, request.getGroup()),
            PartitionWire.anyOwner(request.getOwner()),
            PAGES.parse(request.getPageToken(), 0, (one, rest) -> Integer.parseInt(rest)),
            FieldChecks.pageSize(request.getPageSize()));
    return (members, tx) -> {
      PartitionPage page = members.partitions().list(asked);
      ListPartitionsResponse.Builder response =
          ListPartitionsResponse.newBuilder()
              .addAllPartitions(page.partitions().stream().map(PartitionWire::partition).toList())
              .setPartitionCount(page.group().count())
              .setMembers(page.group().members())
              .setRevoked(page.group().revoked())
              .setOverdue(page.group().overdue());
      page.next().ifPresent(next -> response.setNextPageToken(PAGES.text(1, next)));
      return response.build();
    };
  }

  static StateFunction<Members, ExplainPartitionResponse> explain(
      String namespace, ExplainPartitionRequest request) {
    PartitionGroupName group = PartitionWire.group(namespace, request.getGroup());
    int partition =
        FieldChecks.between(
            "partition", request.getPartition(), 0, PartitionGroups.MAX_PARTITIONS - 1);
    return (members, tx) -> {
      PartitionExplanation explained = members.partitions().explain(group, partition, tx);
      PartitionView view = explained.partition();
      ExplainPartitionResponse.Builder response =
          ExplainPartitionResponse.newBuilder()
              .setPartition(PartitionWire.partition(view))
              .setWhy(explained.why());
      explained.revokedFor().map(FieldChecks::wire).ifPresent(response::setRevokedFor);
      MemberName owner = new MemberName(namespace, group.group(), view.owner());
      members
          .explainIfOf(owner, view.sessionId(), tx)
          .ifPresent(member -> response.setOwnerWhy(member.why()));
      return response.build();
    };
  }
}
