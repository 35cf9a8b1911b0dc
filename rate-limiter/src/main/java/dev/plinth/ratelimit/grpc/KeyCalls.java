package dev.plinth.ratelimit.grpc;

import dev.plinth.ratelimit.pipeline.Inspection;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.store.BudgetRequest.IdempotencyKey;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.InspectRequest;
import dev.plinth.ratelimit.v1.InspectResponse;
import dev.plinth.ratelimit.v1.KeyState;
import dev.plinth.ratelimit.v1.ResetKeyRequest;
import dev.plinth.ratelimit.v1.ResetKeyResponse;
import dev.plinth.server.call.FieldChecks;
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;

/** The calls of those who run the thing: how budgets stand, and a new beginning for them. */
final class KeyCalls {
  private static final Logger log = System.getLogger("plinth.ratelimit");
  private static final int MOST_REASON = 256;

  private final Deciding deciding;

  KeyCalls(Deciding deciding) {
    this.deciding = deciding;
  }

  void inspect(InspectRequest request, StreamObserver<InspectResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    List<Descriptor> descriptors =
        RateLimitWire.descriptors("descriptors", request.getDescriptorsList());
    Deciding.answer(
        deciding.decide(domain, 0, policy -> deciding.limits().inspect(policy, descriptors)),
        KeyCalls::response,
        to);
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

  void reset(ResetKeyRequest request, StreamObserver<ResetKeyResponse> to) {
    String domain = RateLimitWire.domain(request.getDomain());
    List<Descriptor> descriptors =
        RateLimitWire.descriptors("descriptors", request.getDescriptorsList());
    Optional<String> rule =
        request.getRule().isEmpty()
            ? Optional.empty()
            : Optional.of(PolicyWire.ruleName("rule", request.getRule()));
    String reason = FieldChecks.name("reason", request.getReason(), MOST_REASON);
    Optional<IdempotencyKey> once =
        RateLimitWire.once("request_id", request.getRequestId(), request);
    Deciding.answer(
        deciding.decide(
            domain, 0, policy -> deciding.limits().reset(policy, descriptors, rule, once)),
        inspection -> {
          List<String> keys = inspection.keys().stream().map(Inspection.KeyState::key).toList();
          log.log(Level.WARNING, "{0} of {1} begin anew: {2}", keys, domain, reason);
          ResetKeyResponse.Builder response = ResetKeyResponse.newBuilder();
          inspection.keys().forEach(key -> response.addKeys(key(key)));
          return response.build();
        },
        to);
  }
}
