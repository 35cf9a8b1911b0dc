package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckStreamRequest;
import dev.plinth.ratelimit.v1.CheckStreamResponse;
import dev.plinth.ratelimit.v1.Decision;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Checks that come on streams. A stream has checks of any domain, so where one node decides for a
 * domain, each finds its own way there.
 *
 * @param mostUnderWay on one stream
 * @param decidedHere whether this node decides for a domain
 * @param elsewhere sends a check to the node that does
 */
record StreamedChecks(
    CheckCalls checks,
    int mostUnderWay,
    Predicate<String> decidedHere,
    Function<CheckRequest, CompletionStage<Decision>> elsewhere) {

  StreamObserver<CheckStreamRequest> open(StreamObserver<CheckStreamResponse> to) {
    return new CheckStream(mostUnderWay, this::decide, to);
  }

  private CompletionStage<Decision> decide(CheckRequest request) {
    return decidedHere.test(request.getDomain())
        ? checks.decide("check.", request).thenApply(made -> CheckCalls.wire(request, made))
        : elsewhere.apply(request);
  }
}
