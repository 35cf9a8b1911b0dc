package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.InvariantsContract;

class BudgetsInvariantsTest extends InvariantsContract {
  private final EngineOnlyStore bare = new EngineOnlyStore();

  @Override
  protected BudgetStore open() {
    return bare;
  }

  @Override
  protected void at(long micros) {
    bare.now = micros;
  }
}
