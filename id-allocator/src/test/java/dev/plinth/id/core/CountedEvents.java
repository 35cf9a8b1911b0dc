package dev.plinth.id.core;

import java.util.HashMap;
import java.util.Map;

/** Keeps count, for tests. */
final class CountedEvents implements IdEvents {
  final Map<String, Integer> ended = new HashMap<>();
  Ledger ledger = Ledger.EMPTY;
  long ids;
  int refills;
  int waits;
  int workers;
  int behind;

  @Override
  public void allocated(long count) {}

  @Override
  public void rangeLeased(long count) {}

  @Override
  public void rangeEnded(String how) {
    ended.merge(how, 1, Integer::sum);
  }

  @Override
  public void ledger(Ledger change, long more) {
    ledger =
        new Ledger(
            ledger.issued() + change.issued(),
            ledger.wasted() + change.wasted(),
            ledger.outstanding() + change.outstanding());
    ids += more;
  }

  @Override
  public void refilled() {
    refills++;
  }

  @Override
  public void waited() {
    waits++;
  }

  @Override
  public void workers(int change) {
    workers += change;
  }

  @Override
  public void clockBehind() {
    behind++;
  }
}
