package dev.plinth.ratelimit.core;

class BudgetsTicketsTest extends BudgetTicketsContract {
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
