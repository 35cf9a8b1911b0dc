package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckResponse;
import dev.plinth.ratelimit.v1.CheckStreamRequest;
import dev.plinth.ratelimit.v1.CheckStreamResponse;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/**
 * Opens streams of checks. A stream has checks of any domain, so where one node decides for a
 * domain, each check is routed for itself.
 *
 * @param maxInFlight checks of one stream
 * @param loopback takes a check to the node that decides
 * @param random for ids of incidents
 */
record CheckStreams(
    CheckCalls checks,
    int maxInFlight,
    DecisionRoutes routes,
    Channel loopback,
    RandomGenerator random) {
  StreamObserver<CheckStreamRequest> open(StreamObserver<CheckStreamResponse> to) {
    return new CheckStream(maxInFlight, this::decide, random, to);
  }

  private CompletionStage<Decision> decide(CheckRequest request) {
    return routes.isDecidedHere(request.getDomain())
        ? checks.decide("check.", request)
        : forward(request);
  }

  private CompletionStage<Decision> forward(CheckRequest request) {
    CompletableFuture<Decision> decision = new CompletableFuture<>();
    RateLimitServiceGrpc.newStub(loopback)
        .withExecutor(Runnable::run)
        .check(
            request,
            new StreamObserver<>() {
              @Override
              public void onNext(CheckResponse response) {
                decision.complete(response.getDecision());
              }

              @Override
              public void onError(Throwable thrown) {
                decision.completeExceptionally(thrown);
              }

              @Override
              public void onCompleted() {}
            });
    return decision;
  }
}
