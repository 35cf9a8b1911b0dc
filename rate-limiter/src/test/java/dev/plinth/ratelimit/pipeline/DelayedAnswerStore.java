package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.engine.Budgets;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The real engine, which decides when it is asked; but its answers are held back until a test lets
 * them go, unless told otherwise.
 */
final class DelayedAnswerStore implements BudgetStore {
  /** One flush. */
  record Call(
      String domain,
      List<BudgetRequest> batch,
      List<Outcome> outcomes,
      CompletableFuture<List<Outcome>> answer) {}

  private final InstantSource clock;
  private final Map<String, Budgets> domains = new HashMap<>();
  private final List<Call> calls = new ArrayList<>();
  private final Deque<Call> waiting = new ArrayDeque<>();
  private boolean held = true;
  private boolean unavailable;

  DelayedAnswerStore(InstantSource clock) {
    this.clock = clock;
  }

  /** Answers at once from now on. */
  synchronized DelayedAnswerStore prompt() {
    held = false;
    return this;
  }

  synchronized void hold() {
    held = true;
  }

  /** Fails at once, without having done anything. */
  synchronized void setUnavailable(boolean isStoreUnavailable) {
    unavailable = isStoreUnavailable;
  }

  @Override
  public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
    Call call = call(domain, batch);
    if (call == null) {
      return CompletableFuture.failedStage(
          StoreUnavailable.notApplied("budgets", "is unavailable", null));
    }
    return call.answer;
  }

  private synchronized Call call(String domain, List<BudgetRequest> batch) {
    CompletableFuture<List<Outcome>> answer = new CompletableFuture<>();
    if (unavailable) {
      calls.add(new Call(domain, batch, List.of(), answer));
      return null;
    }
    List<Outcome> outcomes =
        domains.computeIfAbsent(domain, name -> new Budgets()).apply(batch, micros());
    Call call = new Call(domain, batch, outcomes, answer);
    calls.add(call);
    if (held) {
      waiting.add(call);
    } else {
      answer.complete(outcomes);
    }
    return call;
  }

  private long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
  }

  synchronized List<Call> calls() {
    return List.copyOf(calls);
  }

  Call call(int i) {
    return calls().get(i);
  }

  /** Lets the oldest answer go that is still held. */
  void answer() {
    Call call = next();
    call.answer.complete(call.outcomes);
  }

  void answerAll() {
    while (isHolding()) {
      answer();
    }
  }

  synchronized boolean isHolding() {
    return !waiting.isEmpty();
  }

  /** The oldest one that is held was lost on the way back. */
  void lose() {
    next().answer.completeExceptionally(StoreUnavailable.outcomeUnknown("budgets", "lost", null));
  }

  private synchronized Call next() {
    return waiting.remove();
  }

  @Override
  public String name() {
    return "budgets";
  }

  @Override
  public String kind() {
    return "held";
  }

  @Override
  public String location() {
    return "memory";
  }

  @Override
  public Optional<String> unavailableReason() {
    return Optional.empty();
  }

  @Override
  public void close() {}
}
