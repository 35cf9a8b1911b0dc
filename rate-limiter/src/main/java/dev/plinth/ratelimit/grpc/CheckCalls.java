package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.CallDecisions;
import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.v1.CheckItem;
import dev.plinth.ratelimit.v1.CheckManyRequest;
import dev.plinth.ratelimit.v1.CheckManyResponse;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The calls that decide. */
record CheckCalls(PolicyDecider decider, RateLimits limits) {
  private static final int MAX_ITEMS = 100;

  CompletionStage<CheckResponse> check(String domain, CheckRequest request) {
    return decide("", domain, request)
        .thenApply(decision -> CheckResponse.newBuilder().setDecision(decision).build());
  }

  /**
   * @param path of the request's fields in whatever it came in
   */
  CompletionStage<dev.plinth.ratelimit.v1.Decision> decide(String path, CheckRequest request) {
    return decide(path, FieldChecks.domain(path + "domain", request.getDomain()), request);
  }

  private CompletionStage<dev.plinth.ratelimit.v1.Decision> decide(
      String path, String domain, CheckRequest request) {
    Check check =
        new Check(
            RateLimitWire.descriptors(path + "descriptors", request.getDescriptorsList()),
            RateLimitWire.cost(path + "cost", request.getCost()),
            request.getPartial(),
            RateLimitWire.once(path + "request_id", request.getRequestId(), request));
    long version =
        FieldChecks.between(
            path + "min_policy_version", request.getMinPolicyVersion(), 0, Long.MAX_VALUE);
    return decider
        .decide(domain, version, policy -> limits.check(policy, check))
        .thenApply(decision -> RateLimitWire.decision(decision, request.getHeaders()));
  }

  CompletionStage<CheckManyResponse> checkMany(String domain, CheckManyRequest request) {
    FieldChecks.between("items", request.getItemsCount(), 1, MAX_ITEMS);
    List<Check> checks = new ArrayList<>();
    for (int i = 0; i < request.getItemsCount(); i++) {
      checks.add(item("items[" + i + "].", request.getItems(i), request.getAllOrNothing()));
    }
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    long version =
        FieldChecks.between("min_policy_version", request.getMinPolicyVersion(), 0, Long.MAX_VALUE);
    CallDecisions decided = new CallDecisions();
    return decider
        .decide(
            domain,
            version,
            policy -> limits.checkMany(policy, checks, request.getAllOrNothing(), once, decided))
        .thenApply(CheckCalls::response);
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
