package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseApp;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardBindings;
import io.grpc.BindableService;

/** The methods of {@code plinth.lease.v1.ElectionService}, each with what answers it. */
public final class ElectionBindings {
  private ElectionBindings() {}

  public static BindableService on(Shards shards, LeaseApp app) {
    return new ShardBindings<Leases>(ElectionServiceGrpc.getServiceDescriptor(), shards, app)
        .call(ElectionServiceGrpc.getCampaignMethod(), ElectionCalls::campaign)
        .call(ElectionServiceGrpc.getCampaignOnceMethod(), ElectionCalls::campaignOnce)
        .answer(ElectionServiceGrpc.getProclaimMethod(), ElectionCalls::proclaim)
        .answer(ElectionServiceGrpc.getResignMethod(), ElectionCalls::resign)
        .answer(ElectionServiceGrpc.getTransferLeadershipMethod(), ElectionCalls::transfer)
        .answer(ElectionServiceGrpc.getGetLeaderMethod(), ElectionCalls::getLeader)
        .watch(ElectionServiceGrpc.getObserveMethod(), ElectionWatch::new)
        .answer(ElectionServiceGrpc.getListCandidatesMethod(), ElectionCalls::listCandidates)
        .build();
  }
}
