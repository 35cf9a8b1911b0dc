package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.Take;
import dev.plinth.ratelimit.core.Outcome.Taken;
import dev.plinth.ratelimit.core.Request.Once;
import dev.plinth.server.failure.Failure;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The parts of {@link Limits} put together: memory first, then the store, else the fail modes. */
final class Way {
  private final Node node;
  private final Ledger ledger;
  private final Memory memory;
  private final Alone alone;
  private final Fallback fallback;
  private final ServerLeases leases;
  private final Lanes lanes;
  private final long budget;

  Way(BudgetStore store, Tuning tuning, Node node) {
    this.node = node;
    this.budget = tuning.storeBudget().toNanos();
    Breaker breaker = new Breaker(tuning, node.events());
    DenyCache denials = new DenyCache(tuning, node.events());
    this.alone = new Alone(node);
    this.ledger = new Ledger(node.events(), denials, alone);
    this.fallback = new Fallback(node, tuning, breaker, alone);
    this.leases = new ServerLeases(node, tuning, ledger, this::enqueue);
    this.memory = new Memory(ledger, leases, alone);
    Flushes flushes = new Flushes(store, tuning, node, breaker, ledger);
    this.lanes = new Lanes(flushes, node, memory, leases);
  }

  long now() {
    return node.nanos().getAsLong();
  }

  Memory memory() {
    return memory;
  }

  Ledger ledger() {
    return ledger;
  }

  Fallback fallback() {
    return fallback;
  }

  Alone alone() {
    return alone;
  }

  /** A check that may share its request with others. */
  CompletionStage<Decision> ask(BudgetSet set, long cost, long now) {
    Asked asked = new Asked(set, cost, now + budget, fallback);
    lanes.submit(asked, now);
    return asked;
  }

  CompletionStage<Outcome> send(BudgetSet set, Request request) {
    return send(set.domain(), set.place(), request);
  }

  /**
   * @param place tells its lane
   */
  CompletionStage<Outcome> send(String domain, int place, Request request) {
    return submit(sent(domain, place, request, Optional.empty()));
  }

  /**
   * @param onLateAnswer told the store's answer if that comes after the stage failed
   */
  CompletionStage<Outcome> send(BudgetSet set, Request request, Consumer<Outcome> onLateAnswer) {
    Sent sent = sent(set.domain(), set.place(), request, Optional.empty());
    return submit(sent.onLateAnswer(onLateAnswer));
  }

  /** Both in one step: the first, then the second, which is answered. */
  CompletionStage<Outcome> send(BudgetSet set, Request first, Request second) {
    Sent before = sent(set.domain(), set.place(), first, Optional.empty());
    return submit(sent(set.domain(), set.place(), second, Optional.of(before)));
  }

  private Sent sent(String domain, int place, Request request, Optional<Sent> before) {
    return new Sent(domain, place, now() + budget, request, before);
  }

  private CompletionStage<Outcome> submit(Sent sent) {
    lanes.submit(sent, now());
    return sent.thenApply(Answers::known);
  }

  private void enqueue(Waiting<?> waiting) {
    lanes.submit(waiting, now());
  }

  /**
   * A decision of a take.
   *
   * @param delay microseconds until what was granted may be used
   */
  record Took(Decision decision, long delay) {}

  /** A take as it is, by the store or else by the fail modes. */
  CompletionStage<Took> take(BudgetSet set, Take take, Optional<Once> once) {
    return send(set, new Request(take, once))
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                return took(set, take, (Taken) outcome);
              } else if (isAway(failure)) {
                return new Took(fallback.decide(set, take.charges(), take.partial(), once), 0);
              }
              throw again(failure);
            });
  }

  private Took took(BudgetSet set, Take take, Taken taken) {
    Decision decision = Decisions.of(set, taken);
    ledger.decided(set, decision);
    if (taken.admitted() > 0) {
      alone.admitted(set, take.charges(), taken.granted());
    }
    return new Took(decision, taken.delay());
  }

  Decision noRule(CompiledPolicy policy, long cost) {
    return counted(Decisions.noRule(policy, cost));
  }

  Decision unlimited(CompiledPolicy policy, long cost, Rule rule) {
    return counted(Decisions.unlimited(policy, cost, rule));
  }

  private Decision counted(Decision decision) {
    node.events().decided(decision.verdict(), decision.decidedBy());
    return decision;
  }

  /** Whether the store did not say: not if it refused. */
  static boolean isAway(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return !(cause instanceof StalePolicy) && !(cause instanceof Failure.Invalid);
  }

  /** Whether the store may have done it all the same. */
  static boolean mayHaveApplied(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return !(cause instanceof Failure.StoreUnavailable away) || away.mayHaveApplied();
  }

  /** To be thrown on, in one wrapping. */
  static CompletionException again(Throwable failure) {
    return failure instanceof CompletionException known ? known : new CompletionException(failure);
  }

  void wasReset(BudgetSet set) {
    ledger.denials().given(set);
  }

  /** Once a second. */
  void upkeep() {
    alone.tidy();
  }

  void close() {
    try {
      leases.close().get(budget, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // What is not given back stays charged.
    }
  }
}
