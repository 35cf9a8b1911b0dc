package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.model.TraceContract;

class BudgetsTraceTest extends TraceContract {
  private final BareStore store = new BareStore();

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
