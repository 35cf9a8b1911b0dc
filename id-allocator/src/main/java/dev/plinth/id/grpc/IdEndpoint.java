package dev.plinth.id.grpc;

import dev.plinth.id.core.IdApp;
import dev.plinth.id.core.NamespaceDefinition;
import dev.plinth.id.core.Namespaces;
import dev.plinth.id.v1.AdvanceSequenceRequest;
import dev.plinth.id.v1.AdvanceSequenceResponse;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.GetNamespaceRequest;
import dev.plinth.id.v1.GetNamespaceResponse;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.ListNamespacesRequest;
import dev.plinth.id.v1.ListNamespacesResponse;
import dev.plinth.id.v1.ParseRequest;
import dev.plinth.id.v1.ParseResponse;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.id.v1.PutNamespaceResponse;
import dev.plinth.id.v1.ReleaseWorkerRequest;
import dev.plinth.id.v1.ReleaseWorkerResponse;
import dev.plinth.id.v1.RenewWorkerRequest;
import dev.plinth.id.v1.RenewWorkerResponse;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** {@code plinth.id.v1.IdService}. A namespace is the shard key of all that is in it. */
public final class IdEndpoint extends IdServiceGrpc.IdServiceImplBase {
  private final ShardCalls<Namespaces> calls;
  private final RangeCalls ranges;
  private final WorkerCalls workers;
  private final NamespacePages pages;

  public IdEndpoint(Shards shards, IdApp app) {
    calls = new ShardCalls<>(shards, app);
    ranges = new RangeCalls(calls);
    workers = new WorkerCalls(calls);
    pages = new NamespacePages(shards, app);
  }

  @Override
  public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> to) {
    ranges.allocate(request, to);
  }

  @Override
  public void leaseRange(LeaseRangeRequest request, StreamObserver<LeaseRangeResponse> to) {
    ranges.lease(request, to);
  }

  @Override
  public void returnRange(ReturnRangeRequest request, StreamObserver<ReturnRangeResponse> to) {
    ranges.returnRange(request, to);
  }

  @Override
  public void leaseWorker(LeaseWorkerRequest request, StreamObserver<LeaseWorkerResponse> to) {
    workers.lease(request, to);
  }

  @Override
  public void renewWorker(RenewWorkerRequest request, StreamObserver<RenewWorkerResponse> to) {
    workers.renew(request, to);
  }

  @Override
  public void releaseWorker(
      ReleaseWorkerRequest request, StreamObserver<ReleaseWorkerResponse> to) {
    workers.release(request, to);
  }

  @Override
  public void parse(ParseRequest request, StreamObserver<ParseResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    long id = IdTextParser.parse(request.getId(), request.getForm());
    calls.read(
        namespace,
        CommandPriority.NORMAL,
        (ids, tx, reply) -> reply.send(tx, IdWire.response(ids.parse(namespace, id))),
        to);
  }

  @Override
  public void putNamespace(PutNamespaceRequest request, StreamObserver<PutNamespaceResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    if (!request.hasDefinition()) {
      throw Failure.Invalid.field("definition", "none", "a definition with a format");
    }
    NamespaceDefinition namespaceDefinition = DefinitionWire.definition(request.getDefinition());
    Optional<Long> expected =
        request.hasExpectedVersion()
            ? Optional.of(
                IdWire.between("expected_version", request.getExpectedVersion(), 0, Long.MAX_VALUE))
            : Optional.empty();
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, PutNamespaceResponse.parser()),
        (ids, tx, reply) ->
            reply.send(
                tx,
                PutNamespaceResponse.newBuilder()
                    .setStatus(IdWire.status(ids.put(namespace, namespaceDefinition, expected, tx)))
                    .build()),
        to);
  }

  @Override
  public void getNamespace(GetNamespaceRequest request, StreamObserver<GetNamespaceResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    calls.read(
        namespace,
        CommandPriority.NORMAL,
        (ids, tx, reply) ->
            reply.send(
                tx,
                GetNamespaceResponse.newBuilder()
                    .setStatus(IdWire.status(ids.status(namespace, tx)))
                    .build()),
        to);
  }

  @Override
  public void listNamespaces(
      ListNamespacesRequest request, StreamObserver<ListNamespacesResponse> to) {
    pages.list(request, to);
  }

  @Override
  public void advanceSequence(
      AdvanceSequenceRequest request, StreamObserver<AdvanceSequenceResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    long target = IdWire.between("to", request.getTo(), 0, Long.MAX_VALUE);
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, AdvanceSequenceResponse.parser()),
        (ids, tx, reply) ->
            reply.send(
                tx,
                AdvanceSequenceResponse.newBuilder()
                    .setStatus(IdWire.status(ids.advance(namespace, target, tx)))
                    .build()),
        to);
  }
}
