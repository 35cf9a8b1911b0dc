package dev.plinth.client;

import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Heartbeats over the client's channel. */
final class GrpcHeart implements Heart {
  private final ManagedChannel channel;
  private final HeartbeatRequest request;
  private final OwnThread thread;

  GrpcHeart(ManagedChannel channel, HeartbeatRequest request, OwnThread thread) {
    this.channel = channel;
    this.request = request;
    this.thread = thread;
  }

  @Override
  public CompletableFuture<HeartbeatResponse> beat(Duration deadline) {
    CompletableFuture<HeartbeatResponse> answered = new CompletableFuture<>();
    LeaseServiceGrpc.newStub(channel)
        .withExecutor(thread)
        .withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS)
        .heartbeat(request, observer(answered));
    return answered;
  }

  private StreamObserver<HeartbeatResponse> observer(
      CompletableFuture<HeartbeatResponse> answered) {
    return new StreamObserver<>() {
      @Override
      public void onNext(HeartbeatResponse answer) {
        answered.complete(answer);
      }

      @Override
      public void onError(Throwable thrown) {
        reconnect(Status.fromThrowable(thrown).getCode());
        answered.completeExceptionally(thrown);
      }

      @Override
      public void onCompleted() {
        // The answer was all there is.
      }
    };
  }

  /**
   * The channel's own pause before it connects again may be longer than the session lives, and a
   * connection on which nothing comes back would be used until the operating system gives it up.
   */
  private void reconnect(Status.Code code) {
    if (code == Status.Code.UNAVAILABLE) {
      channel.resetConnectBackoff();
    } else if (code == Status.Code.DEADLINE_EXCEEDED) {
      channel.enterIdle();
    }
  }
}
