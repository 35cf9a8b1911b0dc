package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The engine alone behind the port, at a time that a test sets. */
public final class EngineOnlyStore implements BudgetStore {
  private final Map<String, Budgets> domains = new HashMap<>();
  volatile long now;

  @Override
  public synchronized CompletionStage<List<Outcome>> apply(
      String domain, List<BudgetRequest> batch) {
    return CompletableFuture.completedFuture(
        domains.computeIfAbsent(domain, name -> new Budgets()).apply(batch, now));
  }

  @Override
  public String name() {
    return "budgets";
  }

  @Override
  public String kind() {
    return "bare";
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
