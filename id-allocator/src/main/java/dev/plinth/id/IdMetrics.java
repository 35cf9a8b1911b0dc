package dev.plinth.id;

import dev.plinth.id.core.IdEvents;
import dev.plinth.id.core.SequenceLedger;
import dev.plinth.server.ServiceMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Every meter of the id allocator. */
final class IdMetrics implements IdEvents {
  private static final List<String> ENDS = List.of("RECLAIMED", "WASTED", "NOT_OUT", "EXPIRED");

  private final Counter allocated;
  private final Counter ranges;
  private final Counter rangeIds;
  private final Map<String, Counter> ended;
  private final Counter refills;
  private final Counter waits;
  private final Counter behind;
  private final AtomicLong issued;
  private final AtomicLong wasted;
  private final AtomicLong outstanding;
  private final AtomicLong total;
  private final AtomicInteger workers;

  IdMetrics(MeterRegistry registry) {
    ServiceMeters meters = new ServiceMeters(registry, "plinth.id.");
    allocated = meters.counter("allocated", "Ids handed out one by one");
    ranges = meters.counter("ranges.leased", "Ranges leased");
    rangeIds = meters.counter("ranges.ids", "Ids in ranges that were leased");
    ended =
        meters.counters(
            "ranges.ended",
            "outcome",
            ENDS,
            "Ranges that were returned or ran out, by what became of the rest");
    refills = meters.counter("refills", "Blocks set aside for later");
    waits = meters.counter("waits", "Grants whose ids were not durable yet, so that they waited");
    behind = meters.counter("clock.behind", "Windows of time that begin ahead of the wall clock");
    // Of the counters served here. Their sum is the ids below all ends, always.
    issued = meters.longGauge("ledger.issued");
    wasted = meters.longGauge("ledger.wasted");
    outstanding = meters.longGauge("ledger.outstanding");
    total = meters.longGauge("ledger.ids");
    workers = meters.gauge("workers");
  }

  @Override
  public void allocated(long ids) {
    allocated.increment(ids);
  }

  @Override
  public void rangeLeased(long ids) {
    ranges.increment();
    rangeIds.increment(ids);
  }

  @Override
  public void rangeEnded(String how) {
    ended.get(how).increment();
  }

  @Override
  public void ledger(SequenceLedger change, long ids) {
    issued.addAndGet(change.issued());
    wasted.addAndGet(change.wasted());
    outstanding.addAndGet(change.outstanding());
    total.addAndGet(ids);
  }

  @Override
  public void refilled() {
    refills.increment();
  }

  @Override
  public void waited() {
    waits.increment();
  }

  @Override
  public void workers(int change) {
    workers.addAndGet(change);
  }

  @Override
  public void clockBehind() {
    behind.increment();
  }
}
