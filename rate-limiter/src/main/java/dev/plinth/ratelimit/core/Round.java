package dev.plinth.ratelimit.core;

import java.util.ArrayList;
import java.util.HashMap;
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
  private final Runnable next;
  private final Map<String, List<Slip>> byDomain = new HashMap<>(2);
  private final Map<Alike, Merged> merged = new HashMap<>(4);
  private final List<Flush> flushes = new ArrayList<>(1);
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private Merged last;
  private int requests;
  private volatile boolean sent;

  /**
   * @param next run when all answers are there, unless that was before {@link #send} returned
   */
  Round(Lanes lanes, Runnable next) {
    this.lanes = lanes;
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
    Merged known = merged.get(new Alike(asked.set(), asked.cost()));
    if (known != null && known.takes(asked)) {
      known.add(asked);
      last = known;
    } else {
      last = new Merged(asked, lanes.ledger());
      merged.put(new Alike(asked.set(), asked.cost()), last);
      slip(asked.domain(), last);
    }
  }

  private void slip(String domain, Slip slip) {
    byDomain.computeIfAbsent(domain, name -> new ArrayList<>()).add(slip);
    requests++;
  }

  /** True if all answers are there already. */
  boolean send() {
    byDomain.forEach(
        (domain, slips) ->
            flushes.add(
                lanes.flushes().of(domain, lanes.leases().with(slips), false, this::landed)));
    open.set(flushes.size() + 1);
    sent = true;
    flushes.forEach(Flush::send);
    return open.decrementAndGet() == 0 && over.compareAndSet(false, true);
  }

  private void landed() {
    if (open.decrementAndGet() == 0 && over.compareAndSet(false, true)) {
      next.run();
    }
  }

  void expire(long now) {
    if (!sent || over.get()) {
      return;
    }
    flushes.forEach(flush -> flush.expire(now));
    boolean lost = flushes.stream().anyMatch(flush -> now - flush.sentAt() >= LOST);
    if (lost && over.compareAndSet(false, true)) {
      next.run();
    }
  }
}
