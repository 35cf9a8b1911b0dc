package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.kv.TxnResponse;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Transactions over one connection to etcd. jetcd takes an answer through its retries and a pool of
 * threads, which costs a lone commit more than etcd's own work; here the thread that reads an
 * answer handles it.
 */
final class TxnChannel implements TxnSender {
  private final ManagedChannel channel;
  private final long timeoutNanos;

  TxnChannel(List<String> endpoints, Duration timeout) {
    this.timeoutNanos = timeout.toNanos();
    this.channel =
        ManagedChannelBuilder.forTarget(EtcdClientFactory.target(endpoints))
            .defaultLoadBalancingPolicy("pick_first")
            .directExecutor()
            .disableRetry() // what may have been applied is not repeated blindly
            .maxInboundMessageSize(EtcdClientFactory.MAX_ANSWER_BYTES)
            .usePlaintext()
            .build();
  }

  @Override
  public CompletableFuture<TxnResponse> send(TxnRequest request) {
    Answer answer = new Answer();
    // The caller may run on the thread of some server call, whose end must not end this one.
    Context callers = Context.ROOT.attach();
    try {
      CallOptions options =
          CallOptions.DEFAULT.withDeadlineAfter(timeoutNanos, TimeUnit.NANOSECONDS);
      ClientCalls.asyncUnaryCall(channel.newCall(KVGrpc.getTxnMethod(), options), request, answer);
    } finally {
      Context.ROOT.detach(callers);
    }
    return answer.future;
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  private static final class Answer implements StreamObserver<io.etcd.jetcd.api.TxnResponse> {
    private final CompletableFuture<TxnResponse> future = new CompletableFuture<>();

    @Override
    public void onNext(io.etcd.jetcd.api.TxnResponse response) {
      future.complete(new TxnResponse(response, ByteSequence.EMPTY));
    }

    @Override
    public void onError(Throwable thrown) {
      future.completeExceptionally(thrown);
    }

    @Override
    public void onCompleted() {
      if (!future.isDone()) {
        future.completeExceptionally(
            Status.UNKNOWN.withDescription("etcd ended a call without an answer").asException());
      }
    }
  }
}
