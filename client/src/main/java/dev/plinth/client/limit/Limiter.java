package dev.plinth.client.limit;

import dev.plinth.client.CallFailedException;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Asks whether one subject may do something, for all threads of a process.
 *
 * <p>Under load it leases budget, charged in advance, and answers from that without a call; so it
 * never admits more than the service granted, whatever is lost or late. A denial is answered from
 * memory while it holds. Where the service does not answer in time, {@link LimitOptions} says what
 * then; {@link #check} and {@link #reserve} fail instead.
 *
 * <p>A failure that asking again cannot mend, such as a domain without a policy, is a {@link
 * CallFailedException} everywhere.
 */
public final class Limiter {
  private static final long MAX = 1_000_000_000;

  private final LimiterKey limiterKey;
  private final LimiterContext limiterContext;
  private final LeasedBudget leasedBudget;
  private final CheckRequest asks;
  private volatile CachedDenial cachedDenial = CachedDenial.NONE;

  Limiter(LimiterKey limiterKey, LimiterContext limiterContext) {
    this.limiterKey = limiterKey;
    this.limiterContext = limiterContext;
    this.leasedBudget = new LeasedBudget(limiterKey, limiterContext);
    this.asks =
        CheckRequest.newBuilder()
            .setDomain(limiterKey.domain())
            .addAllDescriptors(limiterKey.descriptors())
            .build();
  }

  public boolean tryAcquire() {
    return tryAcquire(1);
  }

  /**
   * Whether it may be done now; if so it is charged. Waits for the service no longer than {@link
   * LimitOptions#deadline}, even when interrupted.
   */
  public boolean tryAcquire(long cost) {
    if (paid(cost)) {
      return true;
    }
    return BlockingFutures.uninterruptibly(callService(cost, false)).allowed();
  }

  /** As {@link #tryAcquire}, without waiting, and with the reasons. */
  public CompletionStage<LimiterDecision> tryAcquireAsync(long cost) {
    return limiterContext.handed(request(cost, false));
  }

  /**
   * @param headers with lines for an HTTP response in a decision of the service
   */
  CompletableFuture<LimiterDecision> request(long cost, boolean headers) {
    return paid(cost)
        ? CompletableFuture.completedFuture(LimiterDecision.PAID)
        : callService(cost, headers);
  }

  boolean paid(long cost) {
    requireCost(cost);
    if (!leasedBudget.pay(cost)) {
      return false;
    }
    limiterContext.events().answered(true, DecisionSource.LEASE);
    return true;
  }

  private static void requireCost(long cost) {
    if (cost < 1 || cost > MAX) {
      throw new IllegalArgumentException("cost: " + cost + " (expected: 1.." + MAX + ")");
    }
  }

  private CompletableFuture<LimiterDecision> callService(long cost, boolean headers) {
    long now = limiterContext.now();
    CachedDenial earlier = cachedDenial;
    if (earlier.isActive(cost, now)) {
      return CompletableFuture.completedFuture(counted(earlier.answer(now)));
    }
    if (!limiterContext.serviceCircuitBreaker().mayCall(now)) {
      return CompletableFuture.completedFuture(unavailable());
    }
    CompletableFuture<LimiterDecision> answered = new CompletableFuture<>();
    decide(cost, headers)
        .whenComplete(
            (decision, failure) -> {
              if (failure == null) {
                answered.complete(counted(LimiterDecision.of(decision)));
              } else if (RateLimitCaller.isSilence(failure)) {
                answered.complete(unavailable());
              } else {
                answered.completeExceptionally(failure);
              }
            });
    return answered;
  }

  private CompletableFuture<Decision> decide(long cost, boolean headers) {
    leasedBudget.missed(cost);
    CheckRequest request = asks.toBuilder().setCost(cost).setHeaders(headers).build();
    long sent = limiterContext.now();
    CompletableFuture<Decision> decided = new CompletableFuture<>();
    limiterContext
        .rateLimitCaller()
        .send(RateLimitServiceGrpc.getCheckMethod(), request, limiterContext.options().deadline())
        .whenComplete(
            (answer, failure) -> {
              onAnswer(failure);
              if (failure == null) {
                learn(cost, sent, answer.getDecision());
                decided.complete(answer.getDecision());
              } else {
                decided.completeExceptionally(failure);
              }
            });
    return decided;
  }

  private void onAnswer(Throwable failure) {
    if (failure != null && RateLimitCaller.isSilence(failure)) {
      limiterContext.serviceCircuitBreaker().silent(limiterContext.now());
    } else {
      limiterContext.serviceCircuitBreaker().answered();
    }
  }

  void learn(long cost, long sent, Decision decision) {
    leasedBudget.sawPolicy(decision.getPolicyVersion());
    if (decision.getVerdict() == Verdict.VERDICT_ALLOW_SHADOW) {
      limiterContext.events().shadowDenied();
    }
    CachedDenial told =
        CachedDenial.of(cost, sent, decision, limiterContext.options().holdDenials());
    if (told != CachedDenial.NONE) {
      cachedDenial = cachedDenial.or(told, limiterContext.now());
    }
  }

  /** Something was given back: what was denied may pass. */
  void refunded() {
    cachedDenial = CachedDenial.NONE;
  }

  LimiterDecision unavailable() {
    return counted(LimiterDecision.unavailable(limiterContext.options().onUnavailable()));
  }

  private LimiterDecision counted(LimiterDecision limiterDecision) {
    limiterContext.events().answered(limiterDecision.allowed(), limiterDecision.decisionSource());
    return limiterDecision;
  }

  /**
   * The service's own decision with all that it says of it, charged if allowed. Never from memory.
   *
   * @throws CallFailedException if there was none within {@link LimitOptions#deadline}
   */
  public Decision check(long cost) throws InterruptedException {
    return BlockingFutures.interruptibly(checked(cost));
  }

  public CompletionStage<Decision> checkAsync(long cost) {
    return limiterContext.handed(checked(cost));
  }

  CompletableFuture<Decision> checked(long cost) {
    requireCost(cost);
    return decide(cost, true)
        .whenComplete(
            (decision, failure) -> {
              if (failure == null) {
                counted(LimiterDecision.of(decision));
              }
            });
  }

  /**
   * Waits up to {@code wait} until it may be done. Takes its place in the future where the rules
   * have one to give, so that those who wait come in turn.
   *
   * @return false at once if it would take longer
   */
  public boolean acquire(long cost, Duration wait) throws InterruptedException {
    return BlockingFutures.interruptibly(waiter(cost, wait));
  }

  /** As {@link #acquire}. To cancel it gives the place back. */
  public CompletableFuture<Boolean> acquireAsync(long cost, Duration wait) {
    return limiterContext.handed(waiter(cost, wait));
  }

  CompletableFuture<Boolean> waiter(long cost, Duration wait) {
    if (paid(cost)) {
      return CompletableFuture.completedFuture(true);
    }
    long now = limiterContext.now();
    CachedDenial earlier = cachedDenial;
    if (earlier.isActive(cost, now) && earlier.retryAt() - now > wait.toNanos()) {
      return CompletableFuture.completedFuture(counted(earlier.answer(now)).allowed());
    }
    return new BudgetWaiter(this, limiterContext, cost, wait).start();
  }

  /**
   * A place in the near future, to be settled with what it really cost; empty if there is none
   * within {@code maxWait}. Sent again until it is answered, within the client's patience.
   *
   * @throws CallFailedException if it was not answered; then a place that was given all the same is
   *     given back
   */
  public Optional<Reservation> reserve(long cost, Duration maxWait) throws InterruptedException {
    return BlockingFutures.interruptibly(reservations().reserve(cost, maxWait));
  }

  public CompletionStage<Optional<Reservation>> reserveAsync(long cost, Duration maxWait) {
    return limiterContext.handed(reservations().reserve(cost, maxWait));
  }

  /** Where the future is bargained for. */
  ReservationCaller reservations() {
    return new ReservationCaller(this, limiterKey, limiterContext);
  }

  /** Nobody asked for this one for a while. */
  void evict() {
    leasedBudget.returnAll();
  }
}
