package dev.plinth.id;

import dev.plinth.id.core.IdEvents;
import dev.plinth.id.core.SequenceLedger;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
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
  private final Map<String, Counter> ended = new HashMap<>();
  private final Counter refills;
  private final Counter waits;
  private final Counter behind;
  private final AtomicLong issued;
  private final AtomicLong wasted;
  private final AtomicLong outstanding;
  private final AtomicLong total;
  private final AtomicInteger workers;

  IdMetrics(MeterRegistry registry) {
    allocated = counter(registry, "allocated", "Ids handed out one by one");
    ranges = counter(registry, "ranges.leased", "Ranges leased");
    rangeIds = counter(registry, "ranges.ids", "Ids in ranges that were leased");
    for (String end : ENDS) {
      ended.put(
          end,
          Counter.builder("plinth.id.ranges.ended")
              .description("Ranges that were returned or ran out, by what became of the rest")
              .tag("outcome", end)
              .register(registry));
    }
    refills = counter(registry, "refills", "Blocks set aside for later");
    waits = counter(registry, "waits", "Grants whose answer waited for a commit");
    behind =
        counter(registry, "clock.behind", "Windows of time that begin ahead of the wall clock");
    // Of the counters served here. Their sum is the ids below all ends, always.
    issued = registry.gauge("plinth.id.ledger.issued", new AtomicLong());
    wasted = registry.gauge("plinth.id.ledger.wasted", new AtomicLong());
    outstanding = registry.gauge("plinth.id.ledger.outstanding", new AtomicLong());
    total = registry.gauge("plinth.id.ledger.ids", new AtomicLong());
    workers = registry.gauge("plinth.id.workers", new AtomicInteger());
  }

  private static Counter counter(MeterRegistry registry, String name, String meaning) {
    return Counter.builder("plinth.id." + name).description(meaning).register(registry);
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
