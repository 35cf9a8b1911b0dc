package dev.plinth.ratelimit.core;

class BudgetsSlotsTest extends BudgetSlotsContract {
  private final BareStore bare = new BareStore();

  @Override
  protected BudgetStore open() {
    return bare;
  }

  @Override
  protected void at(long micros) {
    bare.now = micros;
  }
}
