package dev.plinth.ratelimit.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** What a lane sends at one time: a flush for each domain, with equal checks in one request. */
final class Round {
  /** An answer that has not come after this long is not waited for: the lane goes on. */
  static final long LOST = TimeUnit.SECONDS.toNanos(1);

  private record Alike(BudgetSet set, long cost) {}

  private final Lanes lanes;
  private final long now;
  private final Runnable next;
  private final Map<String, List<Slip>> byDomain = new LinkedHashMap<>(2);
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private Map<Alike, Merged> merged; // from the second on: most rounds have one
  private Merged last;
  private int requests;
  private volatile List<Flush> flushes = List.of();

  /**
   * @param now from before it is sent
   * @param next run when all answers are there, unless that was before {@link #send} returned
   */
  Round(Lanes lanes, long now, Runnable next) {
    this.lanes = lanes;
    this.now = now;
    this.next = next;
  }

  boolean isFull() {
    return requests >= lanes.tuning().batch();
  }

  void add(Waiting<?> waiting) {
    if (!(waiting instanceof Asked asked)) {
      Slip.of(waiting, lanes.ledger()).forEach(slip -> slip(waiting.domain(), slip));
    } else if (last != null && last.takes(asked)) {
      last.add(asked);
    } else {
      merge(asked);
    }
  }

  private void merge(Asked asked) {
    Merged known = last == null ? null : known(asked);
    if (known != null && known.takes(asked)) {
      known.add(asked);
      last = known;
      return;
    }
    last = new Merged(asked, lanes.ledger());
    if (merged != null) {
      merged.put(new Alike(asked.set(), asked.cost()), last);
    }
    slip(asked.domain(), last);
  }

  private Merged known(Asked asked) {
    if (merged == null) {
      merged = new HashMap<>();
      merged.put(new Alike(last.set(), last.cost()), last);
    }
    return merged.get(new Alike(asked.set(), asked.cost()));
  }

  private void slip(String domain, Slip slip) {
    List<Slip> slips = byDomain.get(domain);
    if (slips == null) {
      slips = new ArrayList<>(2);
      byDomain.put(domain, slips);
    }
    slips.add(slip);
    requests++;
  }

  /** True if all answers are there already. */
  boolean send() {
    List<Flush> all = new ArrayList<>(byDomain.size());
    byDomain.forEach(
        (domain, slips) ->
            all.add(
                lanes.flushes().of(domain, lanes.leases().with(slips, now), now, this::landed)));
    open.set(all.size() + 1);
    flushes = all;
    for (Flush flush : all) {
      flush.send();
    }
    return open.decrementAndGet() == 0 && over.compareAndSet(false, true);
  }

  private void landed() {
    if (open.decrementAndGet() == 0 && over.compareAndSet(false, true)) {
      next.run();
    }
  }

  void expire(long at) {
    if (over.get()) {
      return;
    }
    List<Flush> sent = flushes;
    sent.forEach(flush -> flush.expire(at));
    if (!sent.isEmpty() && at - now >= LOST && over.compareAndSet(false, true)) {
      next.run();
    }
  }
}
