package dev.plinth.client.limit;

import dev.plinth.client.CallFailed;
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
final class Slots {
  private static final String NO_RULE = "NO_RULE";
  private static final int PASSES = 12;

  private final Wiring wiring;
  private final String domain;
  private final Duration ttl;
  private final Set<Slot> kept = ConcurrentHashMap.newKeySet();

  Slots(Wiring wiring, String domain, Duration ttl) {
    this.wiring = wiring;
    this.domain = domain;
    this.ttl = ttl;
    passLater();
  }

  /** How an attempt to get a place ended. */
  sealed interface Entry {
    record Got(Slot slot) implements Entry {}

    record Full(AcquireSlotResponse answer) implements Entry {}

    /** No concurrency rule matches. */
    record Unlimited() implements Entry {}

    /** Nobody could say, or the service refused to. */
    record Unknown(Optional<Throwable> refusal) implements Entry {}
  }

  /** Always completes normally. */
  CompletableFuture<Entry> acquire(Subject subject) {
    AcquireSlotRequest request =
        AcquireSlotRequest.newBuilder()
            .setDomain(domain)
            .addAllDescriptors(subject.descriptors())
            .setHolder(wiring.holder())
            .setTtl(Wire.duration(ttl))
            .setRequestId(Wire.newRequestId())
            .build();
    if (!wiring.reach().mayAsk(wiring.now())) {
      return CompletableFuture.completedFuture(unknown(Optional.empty()));
    }
    long sent = wiring.now();
    return wiring
        .asks()
        .send(RateLimitServiceGrpc.getAcquireSlotMethod(), request, wiring.options().deadline())
        .handle(
            (answer, failure) -> failure == null ? entry(answer, sent) : failed(request, failure));
  }

  private Entry entry(AcquireSlotResponse answer, long sent) {
    wiring.reach().answered();
    if (answer.getOutcome() != Outcome.OUTCOME_ACQUIRED) {
      return counted("FULL", new Entry.Full(answer));
    }
    if (answer.getSlot().getSlotId().isEmpty()) { // decided without the store: nothing to keep
      return unknown(Optional.empty());
    }
    Slot slot = new Slot(this, answer.getSlot(), sent);
    kept.add(slot);
    return counted("ACQUIRED", new Entry.Got(slot));
  }

  private Entry failed(AcquireSlotRequest request, Throwable failure) {
    if (failure instanceof CallFailed refused && refused.reason().equals(NO_RULE)) {
      return counted(NO_RULE, new Entry.Unlimited());
    }
    if (Asks.isSilence(failure)) {
      wiring.reach().silent(wiring.now());
      giveBackIfGiven(request);
      return unknown(Optional.empty());
    }
    return unknown(Optional.of(failure));
  }

  private Entry unknown(Optional<Throwable> refusal) {
    return counted("UNAVAILABLE", new Entry.Unknown(refusal));
  }

  /** The same request again tells how it ended: the service keeps one answer per request id. */
  private void giveBackIfGiven(AcquireSlotRequest request) {
    wiring
        .asks()
        .insist(RateLimitServiceGrpc.getAcquireSlotMethod(), request, ttl)
        .thenAccept(
            answer -> {
              if (answer.getOutcome() == Outcome.OUTCOME_ACQUIRED) {
                release(answer.getSlot().getSlotId());
              }
            });
  }

  private Entry counted(String what, Entry entry) {
    wiring.events().slot(what);
    return entry;
  }

  private void passLater() {
    wiring
        .asks()
        .after(
            ttl.dividedBy(PASSES),
            () -> {
              passLater(); // first: nothing that goes wrong here may end the renewals
              kept.forEach(Slot::renewIfDue);
            });
  }

  CompletableFuture<RenewSlotResponse> renew(String slot) {
    RenewSlotRequest request =
        RenewSlotRequest.newBuilder()
            .setDomain(domain)
            .setSlotId(slot)
            .setTtl(Wire.duration(ttl))
            .build();
    return wiring
        .asks()
        .send(RateLimitServiceGrpc.getRenewSlotMethod(), request, wiring.options().deadline());
  }

  CompletableFuture<ReleaseSlotResponse> release(String slot) {
    ReleaseSlotRequest request =
        ReleaseSlotRequest.newBuilder()
            .setDomain(domain)
            .setSlotId(slot)
            .setRequestId(Wire.newRequestId())
            .build();
    return wiring.asks().insist(RateLimitServiceGrpc.getReleaseSlotMethod(), request, ttl);
  }

  void renewed() {
    wiring.events().slot("RENEWED");
  }

  /** No longer to be renewed. */
  void drop(Slot slot, String why) {
    kept.remove(slot);
    wiring.events().slot(why);
  }

  long now() {
    return wiring.now();
  }
}
