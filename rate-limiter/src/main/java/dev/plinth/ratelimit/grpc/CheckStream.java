package dev.plinth.ratelimit.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import dev.plinth.ratelimit.v1.CheckError;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckStreamRequest;
import dev.plinth.ratelimit.v1.CheckStreamResponse;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.server.failure.Failure;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * {@code CheckStream}: each check is decided for itself and answered when it is. A bounded number
 * is in flight at once and no more are read from the network; a caller that does not read the
 * answers is not read from either.
 */
final class CheckStream implements StreamObserver<CheckStreamRequest> {
  private final Function<CheckRequest, CompletionStage<Decision>> decide;
  private final RandomGenerator random;
  private final ServerCallStreamObserver<CheckStreamResponse> to;
  private int inFlight;
  private int unrequested;
  private boolean halfClosed;
  private boolean ended;

  /** Made before the service's method returns, as gRPC takes no handlers later. */
  CheckStream(
      int maxInFlight,
      Function<CheckRequest, CompletionStage<Decision>> decide,
      RandomGenerator random,
      StreamObserver<CheckStreamResponse> to) {
    this.decide = decide;
    this.random = random;
    this.to = (ServerCallStreamObserver<CheckStreamResponse>) to;
    this.to.disableAutoRequest();
    // With a handler set, an answer that meets a cancelled call throws nothing.
    this.to.setOnCancelHandler(this::cancelled);
    this.to.setOnReadyHandler(this::ready);
    this.to.request(maxInFlight);
  }

  @Override
  public void onNext(CheckStreamRequest request) {
    synchronized (this) {
      inFlight++;
    }
    decide(request)
        .whenComplete(
            (decision, thrown) -> {
              CheckStreamResponse.Builder answer =
                  CheckStreamResponse.newBuilder().setCorrelationId(request.getCorrelationId());
              if (thrown == null) {
                answer.setDecision(decision);
              } else {
                answer.setError(error(thrown));
              }
              answer(answer.build());
            });
  }

  private CompletionStage<Decision> decide(CheckStreamRequest request) {
    try {
      if (!request.hasCheck()) {
        throw Failure.Invalid.field("check", "none", "a check");
      }
      return decide.apply(request.getCheck());
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private synchronized void answer(CheckStreamResponse answer) {
    inFlight--;
    if (ended) {
      return;
    }
    to.onNext(answer);
    if (to.isReady()) {
      to.request(1);
    } else {
      unrequested++;
    }
    end();
  }

  private synchronized void ready() {
    if (unrequested > 0) {
      to.request(unrequested);
      unrequested = 0;
    }
  }

  private synchronized void cancelled() {
    ended = true;
  }

  private void end() {
    if (halfClosed && inFlight == 0 && !ended) {
      ended = true;
      to.onCompleted();
    }
  }

  private CheckError error(Throwable thrown) {
    com.google.rpc.Status status =
        StatusMappingInterceptor.status(thrown, "a check of a stream", random);
    CheckError.Builder error =
        CheckError.newBuilder().setCode(status.getCode()).setMessage(status.getMessage());
    for (Any detail : status.getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        try {
          error.setReason(detail.unpack(ErrorInfo.class).getReason());
        } catch (InvalidProtocolBufferException e) {
          throw new IllegalStateException("a status of our own cannot be read", e);
        }
      }
    }
    return error.build();
  }

  @Override
  public synchronized void onError(Throwable thrown) {
    ended = true; // the caller is gone; what is in flight stays charged
  }

  @Override
  public synchronized void onCompleted() {
    halfClosed = true;
    end();
  }
}
