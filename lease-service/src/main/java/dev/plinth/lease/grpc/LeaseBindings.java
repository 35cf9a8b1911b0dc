package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseApp;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardBindings;
import io.grpc.BindableService;
import java.util.random.RandomGenerator;

/** The methods of {@code plinth.lease.v1.LeaseService}, each with what answers it. */
public final class LeaseBindings {
  private LeaseBindings() {}

  public static BindableService on(Shards shards, LeaseApp app) {
    RandomGenerator random = shards.machine().secureRandom();
    return new ShardBindings<Leases>(LeaseServiceGrpc.getServiceDescriptor(), shards, app)
            .call(LeaseServiceGrpc.getOpenSessionMethod(), call -> SessionCalls.open(call, random))
            .command(LeaseServiceGrpc.getHeartbeatMethod(), SessionCalls::heartbeat)
            .stream(LeaseServiceGrpc.getKeepSessionMethod(), SessionStream::new)
            .command(LeaseServiceGrpc.getCloseSessionMethod(), SessionCalls::close)
            .call(LeaseServiceGrpc.getAcquireMethod(), AcquireCalls::acquire)
            .call(LeaseServiceGrpc.getAcquireStreamMethod(), AcquireCalls::stream)
            .call(LeaseServiceGrpc.getAcquireSetMethod(), AcquireCalls::acquireSet)
            .command(LeaseServiceGrpc.getRenewMethod(), HoldCalls::renew)
            .answer(LeaseServiceGrpc.getReleaseMethod(), HoldCalls::release)
            .answer(LeaseServiceGrpc.getTransferMethod(), HoldCalls::transfer)
            .answer(LeaseServiceGrpc.getConfirmMethod(), HoldCalls::confirm)
            .answer(LeaseServiceGrpc.getUpdatePayloadMethod(), HoldCalls::updatePayload)
            .answer(LeaseServiceGrpc.getValidateMethod(), LeaseQueryCalls::validate)
            .answer(LeaseServiceGrpc.getRaiseFenceMethod(), LeaseQueryCalls::raiseFence)
            .answer(LeaseServiceGrpc.getGetFenceMethod(), LeaseQueryCalls::getFence)
            .answer(LeaseServiceGrpc.getGetLeaseMethod(), LeaseQueryCalls::getLease)
            .answer(LeaseServiceGrpc.getListLeasesMethod(), LeaseQueryCalls::listLeases)
            .answer(LeaseServiceGrpc.getListWaitersMethod(), LeaseQueryCalls::listWaiters)
            .watch(LeaseServiceGrpc.getWatchMethod(), LeaseWatch::new)
            .call(LeaseServiceGrpc.getHistoryMethod(), HistoryCalls::page)
            .command(LeaseServiceGrpc.getForceReleaseMethod(), OperatorCalls::forceRelease)
            .answer(LeaseServiceGrpc.getSetPolicyMethod(), OperatorCalls::setPolicy)
            .answer(LeaseServiceGrpc.getGetPolicyMethod(), OperatorCalls::getPolicy)
            .build();
  }
}
