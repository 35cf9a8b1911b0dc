package dev.plinth.client.limit;

import dev.plinth.client.CallFailedException;
import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.AcquireSlotResponse;
import dev.plinth.ratelimit.v1.AcquireSlotResponse.Outcome;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.ReleaseSlotRequest;
import dev.plinth.ratelimit.v1.ReleaseSlotResponse;
import dev.plinth.ratelimit.v1.RenewSlotRequest;
import dev.plinth.ratelimit.v1.RenewSlotResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Places of concurrency rules, kept while they are used. One pass over all of them renews those
 * that are due: most are given back long before.
 */
final class HeldSlots {
  private static final String NO_RULE = "NO_RULE";
  private static final int PASSES = 12;

  private final LimiterContext limiterContext;
  private final String domain;
  private final Duration ttl;
  private final Set<HeldSlot> kept = ConcurrentHashMap.newKeySet();

  HeldSlots(LimiterContext limiterContext, String domain, Duration ttl) {
    this.limiterContext = limiterContext;
    this.domain = domain;
    this.ttl = ttl;
    passLater();
  }

  /** How an attempt to get a place ended. */
  sealed interface SlotResult {
    record Got(HeldSlot heldSlot) implements SlotResult {}

    record Full(AcquireSlotResponse answer) implements SlotResult {}

    /** No concurrency rule matches. */
    record Unlimited() implements SlotResult {}

    /** Nobody could say, or the service refused to. */
    record Unknown(Optional<Throwable> refusal) implements SlotResult {}
  }

  /** Always completes normally. */
  CompletableFuture<SlotResult> acquire(LimiterKey limiterKey) {
    AcquireSlotRequest request =
        AcquireSlotRequest.newBuilder()
            .setDomain(domain)
            .addAllDescriptors(limiterKey.descriptors())
            .setHolder(limiterContext.holder())
            .setTtl(LimitWire.duration(ttl))
            .setRequestId(LimitWire.newRequestId())
            .build();
    if (!limiterContext.serviceCircuitBreaker().mayCall(limiterContext.now())) {
      return CompletableFuture.completedFuture(unknown(Optional.empty()));
    }
    long sent = limiterContext.now();
    return limiterContext
        .rateLimitCaller()
        .send(
            RateLimitServiceGrpc.getAcquireSlotMethod(),
            request,
            limiterContext.options().deadline())
        .handle(
            (answer, failure) -> failure == null ? entry(answer, sent) : failed(request, failure));
  }

  private SlotResult entry(AcquireSlotResponse answer, long sent) {
    limiterContext.serviceCircuitBreaker().answered();
    if (answer.getOutcome() != Outcome.OUTCOME_ACQUIRED) {
      return counted("FULL", new SlotResult.Full(answer));
    }
    if (answer.getSlot().getSlotId().isEmpty()) { // decided without the store: nothing to keep
      return unknown(Optional.empty());
    }
    HeldSlot heldSlot = new HeldSlot(this, answer.getSlot(), sent);
    kept.add(heldSlot);
    return counted("ACQUIRED", new SlotResult.Got(heldSlot));
  }

  private SlotResult failed(AcquireSlotRequest request, Throwable failure) {
    if (failure instanceof CallFailedException refused && refused.reason().equals(NO_RULE)) {
      return counted(NO_RULE, new SlotResult.Unlimited());
    }
    if (RateLimitCaller.isSilence(failure)) {
      limiterContext.serviceCircuitBreaker().silent(limiterContext.now());
      releaseIfGranted(request);
      return unknown(Optional.empty());
    }
    return unknown(Optional.of(failure));
  }

  private SlotResult unknown(Optional<Throwable> refusal) {
    return counted("UNAVAILABLE", new SlotResult.Unknown(refusal));
  }

  /** The same request again tells how it ended: the service keeps one answer per request id. */
  private void releaseIfGranted(AcquireSlotRequest request) {
    limiterContext
        .rateLimitCaller()
        .sendWithRetry(RateLimitServiceGrpc.getAcquireSlotMethod(), request, ttl)
        .thenAccept(
            answer -> {
              if (answer.getOutcome() == Outcome.OUTCOME_ACQUIRED) {
                release(answer.getSlot().getSlotId());
              }
            });
  }

  private SlotResult counted(String what, SlotResult slotResult) {
    limiterContext.events().slot(what);
    return slotResult;
  }

  private void passLater() {
    limiterContext
        .rateLimitCaller()
        .after(
            ttl.dividedBy(PASSES),
            () -> {
              passLater(); // first: nothing that goes wrong here may end the renewals
              kept.forEach(HeldSlot::renewIfDue);
            });
  }

  CompletableFuture<RenewSlotResponse> renew(String slot) {
    RenewSlotRequest request =
        RenewSlotRequest.newBuilder()
            .setDomain(domain)
            .setSlotId(slot)
            .setTtl(LimitWire.duration(ttl))
            .build();
    return limiterContext
        .rateLimitCaller()
        .send(
            RateLimitServiceGrpc.getRenewSlotMethod(),
            request,
            limiterContext.options().deadline());
  }

  CompletableFuture<ReleaseSlotResponse> release(String slot) {
    ReleaseSlotRequest request =
        ReleaseSlotRequest.newBuilder()
            .setDomain(domain)
            .setSlotId(slot)
            .setRequestId(LimitWire.newRequestId())
            .build();
    return limiterContext
        .rateLimitCaller()
        .sendWithRetry(RateLimitServiceGrpc.getReleaseSlotMethod(), request, ttl);
  }

  void renewed() {
    limiterContext.events().slot("RENEWED");
  }

  /** No longer to be renewed. */
  void drop(HeldSlot heldSlot, String why) {
    kept.remove(heldSlot);
    limiterContext.events().slot(why);
  }

  long now() {
    return limiterContext.now();
  }
}
