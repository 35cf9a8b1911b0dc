package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The first word of a stream, that its caller waits for. */
public final class StreamStartLatch {
  private final CompletableFuture<Void> heard = new CompletableFuture<>();
  private final String method;

  public StreamStartLatch(String method) {
    this.method = method;
  }

  public void done() {
    heard.complete(null);
  }

  public void failed(StatusRuntimeException why) {
    heard.completeExceptionally(CallFailedException.of(method, why));
  }

  /**
   * @param undo runs if it did not begin in time, or not at all
   */
  public void await(OperationDeadline operationDeadline, Runnable undo)
      throws InterruptedException {
    boolean begun = false;
    try {
      heard.get(operationDeadline.left().toNanos(), TimeUnit.NANOSECONDS);
      begun = true;
    } catch (TimeoutException e) {
      throw CallFailedException.of(
          method, Status.DEADLINE_EXCEEDED.withDescription("no word of it").asRuntimeException());
    } catch (ExecutionException e) {
      throw (CallFailedException) e.getCause();
    } finally {
      if (!begun) {
        undo.run();
      }
    }
  }
}
