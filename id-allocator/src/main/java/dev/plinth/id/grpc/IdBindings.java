package dev.plinth.id.grpc;

import dev.plinth.id.core.IdApp;
import dev.plinth.id.core.IdNamespaceStatus;
import dev.plinth.id.core.Namespaces;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardBindings;
import dev.plinth.shards.grpc.ShardPages;
import io.grpc.BindableService;

/** The methods of {@code plinth.id.v1.IdService}, each with what answers it. */
public final class IdBindings {
  private IdBindings() {}

  public static BindableService on(Shards shards, IdApp app) {
    return new ShardBindings<Namespaces>(IdServiceGrpc.getServiceDescriptor(), shards, app)
        .command(IdServiceGrpc.getAllocateMethod(), RangeCalls::allocate)
        .command(IdServiceGrpc.getLeaseRangeMethod(), RangeCalls::lease)
        .answer(IdServiceGrpc.getReturnRangeMethod(), RangeCalls::returnRange)
        .answer(IdServiceGrpc.getLeaseWorkerMethod(), WorkerCalls::lease)
        .command(IdServiceGrpc.getRenewWorkerMethod(), WorkerCalls::renew)
        .answer(IdServiceGrpc.getReleaseWorkerMethod(), WorkerCalls::release)
        .answer(IdServiceGrpc.getParseMethod(), NamespaceCalls::parse)
        .answer(IdServiceGrpc.getPutNamespaceMethod(), NamespaceCalls::put)
        .answer(IdServiceGrpc.getGetNamespaceMethod(), NamespaceCalls::get)
        .answer(IdServiceGrpc.getAdvanceSequenceMethod(), NamespaceCalls::advance)
        .pages(
            IdServiceGrpc.getListNamespacesMethod(),
            Namespaces::list,
            new ShardPages.Names<>(IdNamespaceStatus::name, FieldChecks::namespace),
            IdWire::status)
        .build();
  }
}
