package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.v1.CheckItem;
import dev.plinth.ratelimit.v1.CheckManyRequest;
import dev.plinth.ratelimit.v1.CheckManyResponse;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The calls that decide. */
final class CheckCalls {
  private static final int MOST_ITEMS = 100;

  private final Deciding deciding;

  CheckCalls(Deciding deciding) {
    this.deciding = deciding;
  }

  void check(CheckRequest request, StreamObserver<CheckResponse> to) {
    Deciding.answer(
        decide("", request),
        decision -> CheckResponse.newBuilder().setDecision(wire(request, decision)).build(),
        to);
  }

  static dev.plinth.ratelimit.v1.Decision wire(CheckRequest request, Decision decision) {
    return RateLimitWire.decision(decision, request.getHeaders());
  }

  /**
   * @param path of the request's fields in whatever it came in
   */
  CompletionStage<Decision> decide(String path, CheckRequest request) {
    String domain = FieldChecks.domain(path + "domain", request.getDomain());
    Check check =
        new Check(
            RateLimitWire.descriptors(path + "descriptors", request.getDescriptorsList()),
            RateLimitWire.cost(path + "cost", request.getCost()),
            request.getPartial(),
            RateLimitWire.once(path + "request_id", request.getRequestId(), request));
    long version =
        RateLimitWire.between(
            path + "min_policy_version", request.getMinPolicyVersion(), 0, Long.MAX_VALUE);
    return deciding.decide(domain, version, policy -> deciding.limits().check(policy, check));
  }

  void checkMany(CheckManyRequest request, StreamObserver<CheckManyResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    FieldChecks.between("items", request.getItemsCount(), 1, MOST_ITEMS);
    List<Check> checks = new ArrayList<>();
    for (int i = 0; i < request.getItemsCount(); i++) {
      checks.add(item("items[" + i + "].", request.getItems(i), request.getAllOrNothing()));
    }
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    long version =
        RateLimitWire.between(
            "min_policy_version", request.getMinPolicyVersion(), 0, Long.MAX_VALUE);
    Deciding.answer(
        deciding.decide(
            domain,
            version,
            policy -> deciding.limits().checkMany(policy, checks, request.getAllOrNothing(), once)),
        CheckCalls::response,
        to);
  }

  private static Check item(String path, CheckItem item, boolean allOrNothing) {
    if (allOrNothing && item.getPartial()) {
      throw Failure.Invalid.field(path + "partial", true, "false with all_or_nothing");
    }
    return new Check(
        RateLimitWire.descriptors(path + "descriptors", item.getDescriptorsList()),
        RateLimitWire.cost(path + "cost", item.getCost()),
        item.getPartial(),
        Optional.empty());
  }

  private static CheckManyResponse response(List<Decision> decisions) {
    CheckManyResponse.Builder response = CheckManyResponse.newBuilder();
    decisions.forEach(decision -> response.addDecisions(RateLimitWire.decision(decision, false)));
    return response.build();
  }
}
