package dev.plinth.client.limit;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.OrderedSet;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.AcquireSlotResponse;
import dev.plinth.ratelimit.v1.AcquireSlotResponse.Outcome;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.ReleaseSlotRequest;
import dev.plinth.ratelimit.v1.ReleaseSlotResponse;
import dev.plinth.ratelimit.v1.RenewSlotRequest;
import dev.plinth.ratelimit.v1.RenewSlotResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Places of concurrency rules, kept while they are used. One pass over all of them renews those
 * that are due: most are given back long before.
 */
final class HeldSlots {
  private static final int PASSES = 12;

  private final LimiterContext context;
  private final String domain;
  private final Duration ttl;
  private final OrderedSet<HeldSlot> kept = new OrderedSet<>();

  HeldSlots(LimiterContext context, String domain, Duration ttl) {
    this.context = context;
    this.domain = domain;
    this.ttl = ttl;
    passLater();
  }

  /** How an attempt to get a place ended. */
  sealed interface SlotResult {
    record Acquired(HeldSlot slot) implements SlotResult {}

    record Full(AcquireSlotResponse answer) implements SlotResult {}

    /** No concurrency rule matches. */
    record NoRule() implements SlotResult {}

    /** The service does not take the descriptors. */
    record BadContent(Throwable refusal) implements SlotResult {}

    /** Nobody could say, or the service refused to. */
    record Unavailable(Optional<Throwable> refusal) implements SlotResult {}
  }

  /** Always completes normally. */
  CompletableFuture<SlotResult> acquire(Map<String, String> descriptors) {
    AcquireSlotRequest request =
        AcquireSlotRequest.newBuilder()
            .setDomain(domain)
            .addAllDescriptors(new LimiterKey(domain, descriptors).descriptors())
            .setHolder(context.runtime().owner())
            .setTtl(ClientWire.duration(ttl))
            .setRequestId(context.runtime().newRequestId())
            .build();
    if (!context.breaker().mayCall(context.now())) {
      return CompletableFuture.completedFuture(unavailable(Optional.empty()));
    }
    long sent = context.now();
    return context
        .caller()
        .send(RateLimitServiceGrpc.getAcquireSlotMethod(), request)
        .handle(
            (answer, failure) -> failure == null ? entry(answer, sent) : failed(request, failure));
  }

  private SlotResult entry(AcquireSlotResponse answer, long sent) {
    context.breaker().answered();
    if (answer.getOutcome() != Outcome.OUTCOME_ACQUIRED) {
      return counted("FULL", new SlotResult.Full(answer));
    }
    if (answer.getSlot().getSlotId().isEmpty()) { // decided without the store: nothing to keep
      return unavailable(Optional.empty());
    }
    HeldSlot slot = new HeldSlot(this, answer.getSlot(), sent);
    kept.add(slot);
    return counted("ACQUIRED", new SlotResult.Acquired(slot));
  }

  private SlotResult failed(AcquireSlotRequest request, Throwable failure) {
    if (RateLimitCaller.isSilence(failure)) {
      context.breaker().silent(context.now());
      releaseIfGranted(request);
      return unavailable(Optional.empty());
    }
    context.breaker().answered();
    if (failure instanceof CallFailedException refused
        && refused.reason() == ErrorReason.ERROR_REASON_NO_RULE) {
      return counted("NO_RULE", new SlotResult.NoRule());
    }
    return RateLimitCaller.isBadContent(failure)
        ? counted("REFUSED", new SlotResult.BadContent(failure))
        : unavailable(Optional.of(failure));
  }

  private SlotResult unavailable(Optional<Throwable> refusal) {
    return counted("UNAVAILABLE", new SlotResult.Unavailable(refusal));
  }

  /** The same request again tells how it ended: the service keeps one answer per request id. */
  private void releaseIfGranted(AcquireSlotRequest request) {
    context
        .caller()
        .sendWithRetry(RateLimitServiceGrpc.getAcquireSlotMethod(), request, ttl)
        .thenAccept(
            answer -> {
              if (answer.getOutcome() == Outcome.OUTCOME_ACQUIRED) {
                release(answer.getSlot().getSlotId());
              }
            });
  }

  private SlotResult counted(String what, SlotResult result) {
    context.events().slot(what);
    return result;
  }

  private void passLater() {
    context
        .caller()
        .after(
            ttl.dividedBy(PASSES),
            () -> {
              passLater(); // first: nothing that goes wrong here may end the renewals
              kept.copy().forEach(HeldSlot::renewIfDue);
            });
  }

  CompletableFuture<RenewSlotResponse> renew(String slot) {
    RenewSlotRequest request =
        RenewSlotRequest.newBuilder()
            .setDomain(domain)
            .setSlotId(slot)
            .setTtl(ClientWire.duration(ttl))
            .build();
    return context.caller().send(RateLimitServiceGrpc.getRenewSlotMethod(), request);
  }

  CompletableFuture<ReleaseSlotResponse> release(String slot) {
    ReleaseSlotRequest request =
        ReleaseSlotRequest.newBuilder()
            .setDomain(domain)
            .setSlotId(slot)
            .setRequestId(context.runtime().newRequestId())
            .build();
    return context
        .caller()
        .sendWithRetry(RateLimitServiceGrpc.getReleaseSlotMethod(), request, ttl);
  }

  void renewed() {
    context.events().slot("RENEWED");
  }

  /** No longer to be renewed. */
  void drop(HeldSlot slot, String why) {
    kept.remove(slot);
    context.events().slot(why);
  }

  void warn(Throwable refusal) {
    context.warnings().warn("slots of domain " + domain + " are refused", refusal);
  }

  LimiterContext context() {
    return context;
  }
}
