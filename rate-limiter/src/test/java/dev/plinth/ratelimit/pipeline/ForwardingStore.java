package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Another store, with something in between. */
class ForwardingStore implements BudgetStore {
  private final BudgetStore store;

  ForwardingStore(BudgetStore store) {
    this.store = store;
  }

  @Override
  public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
    return store.apply(domain, batch);
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public String kind() {
    return store.kind();
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public Optional<String> unavailableReason() {
    return store.unavailableReason();
  }

  @Override
  public void close() {
    store.close();
  }
}
