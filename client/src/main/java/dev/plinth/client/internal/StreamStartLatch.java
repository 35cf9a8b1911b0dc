package dev.plinth.client.internal;

import dev.plinth.client.CallFailedException;
import dev.plinth.machine.Machine;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Waits for the first message of a stream. */
public final class StreamStartLatch {
  private final CompletableFuture<Void> first = new CompletableFuture<>();
  private final Machine machine;
  private final String method;

  public StreamStartLatch(Machine machine, String method) {
    this.machine = machine;
    this.method = method;
  }

  public void done() {
    first.complete(null);
  }

  public void failed(CallFailedException why) {
    first.completeExceptionally(why);
  }

  /**
   * @param undo runs if it did not begin in time, or not at all
   */
  public void await(OperationDeadline deadline, Runnable undo) throws InterruptedException {
    boolean begun = false;
    try {
      machine.await(first, deadline.left());
      begun = true;
    } catch (TimeoutException e) {
      throw CallFailedException.of(
          method, Status.DEADLINE_EXCEEDED.withDescription("no message came").asException());
    } catch (ExecutionException e) {
      throw (CallFailedException) e.getCause();
    } finally {
      if (!begun) {
        undo.run();
      }
    }
  }
}
