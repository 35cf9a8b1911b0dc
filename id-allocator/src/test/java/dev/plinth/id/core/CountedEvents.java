package dev.plinth.id.core;

import java.util.HashMap;
import java.util.Map;

/** Keeps count, for tests. */
final class CountedEvents implements IdEvents {
  final Map<String, Integer> ended = new HashMap<>();
  SequenceLedger sequenceLedger = SequenceLedger.EMPTY;
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
  public void ledger(SequenceLedger change, long more) {
    sequenceLedger =
        new SequenceLedger(
            sequenceLedger.issued() + change.issued(),
            sequenceLedger.wasted() + change.wasted(),
            sequenceLedger.outstanding() + change.outstanding());
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
