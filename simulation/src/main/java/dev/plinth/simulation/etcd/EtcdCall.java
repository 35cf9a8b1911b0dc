package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A request under way. It ends once: with its answer, its deadline or its connection. */
final class EtcdCall<A> {
  private final MessageLite request;
  private final RequestFate fate;
  private final Supplier<A> apply;
  private final CompletableFuture<A> future = new CompletableFuture<>();
  private boolean sawElection;

  EtcdCall(MessageLite request, RequestFate fate, Supplier<A> apply) {
    this.request = request;
    this.fate = fate;
    this.apply = apply;
  }

  MessageLite request() {
    return request;
  }

  RequestFate fate() {
    return fate;
  }

  CompletableFuture<A> future() {
    return future;
  }

  /** It has waited for a leader, so its outcome may be unknown even to etcd. */
  void seeElection() {
    sawElection = true;
  }

  boolean sawElection() {
    return sawElection;
  }

  /** Applies it to the model; what is returned tells the caller. */
  Runnable apply() {
    try {
      A answer = apply.get();
      return () -> future.complete(answer);
    } catch (StatusRuntimeException e) {
      return failing(e);
    }
  }

  Runnable failing(StatusRuntimeException failure) {
    return () -> future.completeExceptionally(failure);
  }
}
