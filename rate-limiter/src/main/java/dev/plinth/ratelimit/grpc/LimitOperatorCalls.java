package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.Inspection;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.InspectRequest;
import dev.plinth.ratelimit.v1.InspectResponse;
import dev.plinth.ratelimit.v1.KeyState;
import dev.plinth.ratelimit.v1.ResetKeyRequest;
import dev.plinth.ratelimit.v1.ResetKeyResponse;
import dev.plinth.server.call.FieldChecks;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Handles Inspect and ResetKey. */
record LimitOperatorCalls(PolicyDecider decider, RateLimits limits) {
  private static final Logger log = System.getLogger("plinth.ratelimit");
  private static final int MAX_REASON = 256;

  CompletionStage<InspectResponse> inspect(String domain, InspectRequest request) {
    List<Descriptor> descriptors =
        RateLimitWire.descriptors("descriptors", request.getDescriptorsList());
    return decider
        .decide(domain, 0, policy -> limits.inspect(policy, descriptors))
        .thenApply(LimitOperatorCalls::response);
  }

  private static InspectResponse response(Inspection inspection) {
    InspectResponse.Builder response =
        InspectResponse.newBuilder()
            .addAllReplaced(inspection.replaced())
            .setPolicyVersion(inspection.policyVersion())
            .setDecidedBy(
                inspection.keys().isEmpty()
                    ? DecidedBy.DECIDED_BY_NO_RULE
                    : DecidedBy.DECIDED_BY_STORE);
    inspection.keys().forEach(key -> response.addKeys(key(key)));
    return response.build();
  }

  private static KeyState key(Inspection.KeyState key) {
    return KeyState.newBuilder()
        .setStatus(RateLimitWire.status(key.status()))
        .setKey(key.key())
        .setAlgorithm(LimitWire.algorithm(key.status().rule().limit()))
        .setRuleVersion(key.ruleVersion())
        .setBoundPerPeriod(key.boundPerPeriod())
        .setSlots(key.slots())
        .build();
  }

  CompletionStage<ResetKeyResponse> reset(String domain, ResetKeyRequest request) {
    List<Descriptor> descriptors =
        RateLimitWire.descriptors("descriptors", request.getDescriptorsList());
    Optional<String> rule =
        request.getRule().isEmpty()
            ? Optional.empty()
            : Optional.of(PolicyWire.ruleName("rule", request.getRule()));
    String reason = FieldChecks.name("reason", request.getReason(), MAX_REASON);
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    return decider
        .decide(domain, 0, policy -> limits.reset(policy, descriptors, rule, once))
        .thenApply(
            inspection -> {
              List<String> keys = inspection.keys().stream().map(Inspection.KeyState::key).toList();
              log.log(Level.WARNING, "{0} of {1} were reset: {2}", keys, domain, reason);
              ResetKeyResponse.Builder response = ResetKeyResponse.newBuilder();
              inspection.keys().forEach(key -> response.addKeys(key(key)));
              return response.build();
            });
  }
}
