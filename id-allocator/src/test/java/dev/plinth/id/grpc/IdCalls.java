package dev.plinth.id.grpc;

import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.GetNamespaceRequest;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.IdServiceGrpc.IdServiceBlockingStub;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.id.v1.Range;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.GenericCaller;
import java.util.UUID;

/** Calls of one test, in namespaces of its own. */
final class IdCalls {
  static final GenericCaller ANY = new GenericCaller(IdServiceGrpc.getServiceDescriptor());

  final String dense = "d-" + UUID.randomUUID().toString().substring(0, 12);
  final String flakes = "f-" + UUID.randomUUID().toString().substring(0, 12);
  private final ShardServer server;

  IdCalls(ShardServer server) {
    this.server = server;
  }

  IdServiceBlockingStub ids() {
    return IdServiceGrpc.newBlockingStub(server.channel());
  }

  static Definition.Builder dense() {
    return Definition.newBuilder().setFormat(Format.FORMAT_DENSE).setMinRange(10);
  }

  /** With four worker ids. */
  static Definition.Builder flakes() {
    return Definition.newBuilder()
        .setFormat(Format.FORMAT_SNOWFLAKE)
        .setLayout(
            Layout.newBuilder()
                .setEpochMs(1_735_689_600_000L)
                .setTimeBits(41)
                .setWorkerBits(2)
                .setSequenceBits(20));
  }

  /** Makes one namespace of each kind. */
  IdCalls define() {
    put(dense, dense());
    put(flakes, flakes());
    return this;
  }

  NamespaceStatus put(String name, Definition.Builder definition) {
    return ids()
        .putNamespace(
            PutNamespaceRequest.newBuilder().setNamespace(name).setDefinition(definition).build())
        .getStatus();
  }

  NamespaceStatus get(String name) {
    return ids()
        .getNamespace(GetNamespaceRequest.newBuilder().setNamespace(name).build())
        .getStatus();
  }

  AllocateResponse allocate(String name, int count) {
    return ids().allocate(allocation(name, count).build());
  }

  static AllocateRequest.Builder allocation(String name, int count) {
    return AllocateRequest.newBuilder().setNamespace(name).setCount(count);
  }

  Range lease(long want) {
    return ids().leaseRange(range(want).build()).getRange();
  }

  LeaseRangeRequest.Builder range(long want) {
    return LeaseRangeRequest.newBuilder().setNamespace(dense).setOwnerId("ann").setWant(want);
  }

  LeaseWorkerResponse worker(String owner) {
    return ids()
        .leaseWorker(
            LeaseWorkerRequest.newBuilder().setNamespace(flakes).setOwnerId(owner).build());
  }
}
