package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.store.BudgetSlotsContract;
import dev.plinth.ratelimit.store.BudgetStore;

class BudgetsSlotsTest extends BudgetSlotsContract {
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
