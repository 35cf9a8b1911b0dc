package dev.plinth.bench;

import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A unary call of an asynchronous stub as a future. */
public final class Futures {
  private Futures() {}

  public static <R> CompletableFuture<R> of(Consumer<StreamObserver<R>> call) {
    CompletableFuture<R> future = new CompletableFuture<>();
    call.accept(
        new StreamObserver<>() {
          private R answer;

          @Override
          public void onNext(R value) {
            answer = value;
          }

          @Override
          public void onError(Throwable thrown) {
            future.completeExceptionally(thrown);
          }

          @Override
          public void onCompleted() {
            future.complete(answer);
          }
        });
    return future;
  }
}
