package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.model.TraceContract;
import dev.plinth.ratelimit.store.BudgetStore;

class BudgetsTraceTest extends TraceContract {
  private final EngineOnlyStore store = new EngineOnlyStore();

  @Override
  protected BudgetStore open() {
    return store;
  }

  @Override
  protected void at(long micros) {
    store.now = micros;
  }

  @Override
  protected int traces() {
    return 250;
  }
}
