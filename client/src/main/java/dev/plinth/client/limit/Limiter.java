package dev.plinth.client.limit;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientWire;
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

  private final LimiterKey key;
  private final LimiterContext context;
  private final LeasedBudget budget;
  private final CheckRequest asks;
  private volatile CachedDenial denial = CachedDenial.NONE;

  Limiter(LimiterKey key, LimiterContext context) {
    this.key = key;
    this.context = context;
    this.budget = new LeasedBudget(key, context);
    this.asks =
        CheckRequest.newBuilder()
            .setDomain(key.domain())
            .addAllDescriptors(key.descriptors())
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
    return BlockingFutures.uninterruptibly(context.machine(), callService(cost, false)).allowed();
  }

  /** As {@link #tryAcquire}, without waiting, and with the reasons. */
  public CompletionStage<LimiterDecision> tryAcquireAsync(long cost) {
    return context.handed(request(cost, false));
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
    if (!budget.pay(cost)) {
      return false;
    }
    context.events().answered(true, DecisionSource.LEASE);
    return true;
  }

  private static void requireCost(long cost) {
    if (cost < 1 || cost > MAX) {
      throw new IllegalArgumentException("cost: " + cost + " (expected: 1.." + MAX + ")");
    }
  }

  private CompletableFuture<LimiterDecision> callService(long cost, boolean headers) {
    long now = context.now();
    CachedDenial earlier = denial;
    if (earlier.isActive(cost, now)) {
      return CompletableFuture.completedFuture(counted(earlier.answer(now)));
    }
    if (!context.breaker().mayCall(now)) {
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
    budget.missed(cost);
    CheckRequest request = asks.toBuilder().setCost(cost).setHeaders(headers).build();
    long sent = context.now();
    CompletableFuture<Decision> decided = new CompletableFuture<>();
    context
        .caller()
        .send(RateLimitServiceGrpc.getCheckMethod(), request)
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
      context.breaker().silent(context.now());
    } else {
      context.breaker().answered();
    }
  }

  void learn(long cost, long sent, Decision decision) {
    budget.sawPolicy(decision.getPolicyVersion());
    if (decision.getVerdict() == Verdict.VERDICT_ALLOW_SHADOW) {
      context.events().shadowDenied();
    }
    CachedDenial told = CachedDenial.of(cost, sent, decision, context.options().holdDenials());
    if (told != CachedDenial.NONE) {
      denial = denial.or(told, context.now());
    }
  }

  /** Something was given back: what was denied may pass. */
  void refunded() {
    denial = CachedDenial.NONE;
  }

  LimiterDecision unavailable() {
    return counted(LimiterDecision.unavailable(context.options().onUnavailable()));
  }

  private LimiterDecision counted(LimiterDecision limiterDecision) {
    context.events().answered(limiterDecision.allowed(), limiterDecision.source());
    return limiterDecision;
  }

  /**
   * The service's own decision with all that it says of it, charged if allowed. Never from memory.
   *
   * @throws CallFailedException if there was none within {@link LimitOptions#deadline}
   */
  public Decision check(long cost) throws InterruptedException {
    return BlockingFutures.interruptibly(context.machine(), checked(cost));
  }

  public CompletionStage<Decision> checkAsync(long cost) {
    return context.handed(checked(cost));
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
    return BlockingFutures.interruptibly(context.machine(), waiter(cost, wait));
  }

  /** As {@link #acquire}. To cancel it gives the place back. */
  public CompletableFuture<Boolean> acquireAsync(long cost, Duration wait) {
    return context.handed(waiter(cost, wait));
  }

  CompletableFuture<Boolean> waiter(long cost, Duration wait) {
    if (paid(cost)) {
      return CompletableFuture.completedFuture(true);
    }
    long now = context.now();
    CachedDenial earlier = denial;
    if (earlier.isActive(cost, now) && earlier.retryAt() - now > ClientWire.nanos(wait)) {
      return CompletableFuture.completedFuture(counted(earlier.answer(now)).allowed());
    }
    return new BudgetWaiter(this, context, cost, wait).start();
  }

  /**
   * A place in the near future, to be settled with what it really cost; empty if there is none
   * within {@code maxWait}. Retried until it is answered, within the client's operation timeout.
   *
   * @throws CallFailedException if it was not answered; then a place that was given all the same is
   *     given back
   */
  public Optional<Reservation> reserve(long cost, Duration maxWait) throws InterruptedException {
    return BlockingFutures.interruptibly(context.machine(), reservations().reserve(cost, maxWait));
  }

  public CompletionStage<Optional<Reservation>> reserveAsync(long cost, Duration maxWait) {
    return context.handed(reservations().reserve(cost, maxWait));
  }

  /** Where the future is bargained for. */
  ReservationCaller reservations() {
    return new ReservationCaller(this, key, context);
  }

  /** Nobody asked for this one for a while. */
  void evict() {
    budget.returnAll();
  }
}
