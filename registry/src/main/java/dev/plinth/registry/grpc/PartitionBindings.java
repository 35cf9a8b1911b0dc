package dev.plinth.registry.grpc;

import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.registry.v1.PartitionServiceGrpc;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardBindings;
import io.grpc.BindableService;

/** The methods of {@code plinth.registry.v1.PartitionService}, each with what answers it. */
public final class PartitionBindings {
  private PartitionBindings() {}

  public static BindableService on(Shards shards, RegistryApp app) {
    return new ShardBindings<Members>(PartitionServiceGrpc.getServiceDescriptor(), shards, app)
        .answer(PartitionServiceGrpc.getJoinGroupMethod(), PartitionCalls::join)
        .answer(PartitionServiceGrpc.getLeaveGroupMethod(), PartitionCalls::leave)
        .answer(PartitionServiceGrpc.getReleasePartitionsMethod(), PartitionCalls::release)
        .answer(PartitionServiceGrpc.getGetAssignmentMethod(), PartitionQueryCalls::assignment)
        .answer(PartitionServiceGrpc.getListPartitionsMethod(), PartitionQueryCalls::list)
        .watch(PartitionServiceGrpc.getWatchPartitionsMethod(), PartitionWatch::new)
        .answer(PartitionServiceGrpc.getExplainPartitionMethod(), PartitionQueryCalls::explain)
        .build();
  }
}
