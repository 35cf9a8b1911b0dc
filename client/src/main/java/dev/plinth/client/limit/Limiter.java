package dev.plinth.client.limit;

import dev.plinth.client.CallFailed;
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
 * CallFailed} everywhere.
 */
public final class Limiter {
  private static final long MOST = 1_000_000_000;

  private final Subject subject;
  private final Wiring wiring;
  private final Purse purse;
  private final CheckRequest asks;
  private volatile Denial denial = Denial.NONE;

  Limiter(Subject subject, Wiring wiring) {
    this.subject = subject;
    this.wiring = wiring;
    this.purse = new Purse(subject, wiring);
    this.asks =
        CheckRequest.newBuilder()
            .setDomain(subject.domain())
            .addAllDescriptors(subject.descriptors())
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
    return Waiting.uninterruptibly(askService(cost, false)).allowed();
  }

  /** As {@link #tryAcquire}, without waiting, and with the reasons. */
  public CompletionStage<Answer> tryAcquireAsync(long cost) {
    return wiring.handed(ask(cost, false));
  }

  /**
   * @param headers with lines for an HTTP response in a decision of the service
   */
  CompletableFuture<Answer> ask(long cost, boolean headers) {
    return paid(cost) ? CompletableFuture.completedFuture(Answer.PAID) : askService(cost, headers);
  }

  boolean paid(long cost) {
    requireCost(cost);
    if (!purse.pay(cost)) {
      return false;
    }
    wiring.events().answered(true, Source.LEASE);
    return true;
  }

  private static void requireCost(long cost) {
    if (cost < 1 || cost > MOST) {
      throw new IllegalArgumentException("cost: " + cost + " (expected: 1.." + MOST + ")");
    }
  }

  private CompletableFuture<Answer> askService(long cost, boolean headers) {
    long now = wiring.now();
    Denial earlier = denial;
    if (earlier.holds(cost, now)) {
      return CompletableFuture.completedFuture(counted(earlier.answer(now)));
    }
    if (!wiring.reach().mayAsk(now)) {
      return CompletableFuture.completedFuture(unavailable());
    }
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    decide(cost, headers)
        .whenComplete(
            (decision, failure) -> {
              if (failure == null) {
                answered.complete(counted(Answer.of(decision)));
              } else if (Asks.isSilence(failure)) {
                answered.complete(unavailable());
              } else {
                answered.completeExceptionally(failure);
              }
            });
    return answered;
  }

  private CompletableFuture<Decision> decide(long cost, boolean headers) {
    purse.missed(cost);
    CheckRequest request = asks.toBuilder().setCost(cost).setHeaders(headers).build();
    long sent = wiring.now();
    CompletableFuture<Decision> decided = new CompletableFuture<>();
    wiring
        .asks()
        .send(RateLimitServiceGrpc.getCheckMethod(), request, wiring.options().deadline())
        .whenComplete(
            (answer, failure) -> {
              heard(failure);
              if (failure == null) {
                learn(cost, sent, answer.getDecision());
                decided.complete(answer.getDecision());
              } else {
                decided.completeExceptionally(failure);
              }
            });
    return decided;
  }

  private void heard(Throwable failure) {
    if (failure != null && Asks.isSilence(failure)) {
      wiring.reach().silent(wiring.now());
    } else {
      wiring.reach().answered();
    }
  }

  void learn(long cost, long sent, Decision decision) {
    purse.sawPolicy(decision.getPolicyVersion());
    if (decision.getVerdict() == Verdict.VERDICT_ALLOW_SHADOW) {
      wiring.events().shadowDenied();
    }
    Denial told = Denial.of(cost, sent, decision, wiring.options().holdDenials());
    if (told != Denial.NONE) {
      denial = denial.or(told, wiring.now());
    }
  }

  /** Something was given back: what was denied may pass. */
  void refunded() {
    denial = Denial.NONE;
  }

  Answer unavailable() {
    return counted(Answer.unavailable(wiring.options().onUnavailable()));
  }

  private Answer counted(Answer answer) {
    wiring.events().answered(answer.allowed(), answer.source());
    return answer;
  }

  /**
   * The service's own decision with all that it says of it, charged if allowed. Never from memory.
   *
   * @throws CallFailed if there was none within {@link LimitOptions#deadline}
   */
  public Decision check(long cost) throws InterruptedException {
    return Waiting.interruptibly(checked(cost));
  }

  public CompletionStage<Decision> checkAsync(long cost) {
    return wiring.handed(checked(cost));
  }

  CompletableFuture<Decision> checked(long cost) {
    requireCost(cost);
    return decide(cost, true)
        .whenComplete(
            (decision, failure) -> {
              if (failure == null) {
                counted(Answer.of(decision));
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
    return Waiting.interruptibly(turn(cost, wait));
  }

  /** As {@link #acquire}. To cancel it gives the place back. */
  public CompletableFuture<Boolean> acquireAsync(long cost, Duration wait) {
    return wiring.handed(turn(cost, wait));
  }

  CompletableFuture<Boolean> turn(long cost, Duration wait) {
    if (paid(cost)) {
      return CompletableFuture.completedFuture(true);
    }
    long now = wiring.now();
    Denial earlier = denial;
    if (earlier.holds(cost, now) && earlier.retryAt() - now > wait.toNanos()) {
      return CompletableFuture.completedFuture(counted(earlier.answer(now)).allowed());
    }
    return new Turn(this, wiring, cost, wait).start();
  }

  /**
   * A place in the near future, to be settled with what it really cost; empty if there is none
   * within {@code maxWait}. Sent again until it is answered, within the client's patience.
   *
   * @throws CallFailed if it was not answered; then a place that was given all the same is given
   *     back
   */
  public Optional<Reservation> reserve(long cost, Duration maxWait) throws InterruptedException {
    return Waiting.interruptibly(places().reserve(cost, maxWait));
  }

  public CompletionStage<Optional<Reservation>> reserveAsync(long cost, Duration maxWait) {
    return wiring.handed(places().reserve(cost, maxWait));
  }

  /** Where the future is bargained for. */
  Places places() {
    return new Places(this, subject, wiring);
  }

  /** Nobody asked for this one for a while. */
  void letGo() {
    purse.giveBackAll();
  }
}
