package dev.plinth.client.internal;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** The answer to one unary call; it counts once the call has ended well. */
final class UnaryAnswer<A> implements StreamObserver<A> {
  private final CompletableFuture<A> ended = new CompletableFuture<>();
  private A answer;

  /** Fails with what the call failed with. */
  CompletableFuture<A> ended() {
    return ended;
  }

  @Override
  public void onNext(A message) {
    answer = message;
  }

  @Override
  public void onError(Throwable thrown) {
    ended.completeExceptionally(thrown);
  }

  @Override
  public void onCompleted() {
    if (answer == null) {
      onError(Status.INTERNAL.withDescription("no value came").asRuntimeException());
    } else {
      ended.complete(answer);
    }
  }
}
