package dev.plinth.ratelimit.pipeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** What a queue sends at one time: a flush for each domain, with equal checks in one request. */
final class FlushRound {
  /** An answer that has not come after this long is not waited for: the queue continues. */
  static final long ABANDON_AFTER = TimeUnit.SECONDS.toNanos(1);

  /** A round that has come to so many budgets takes no further request. */
  static final int FULL_AT_BUDGETS = 1_000;

  private record CheckKey(BudgetSet set, long cost) {}

  private final FlushQueues queues;
  private final long now;
  private final Runnable next;
  private final Map<String, List<FlushEntry>> byDomain = new LinkedHashMap<>(2);
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicBoolean done = new AtomicBoolean();
  private Map<CheckKey, MergedChecks> merged; // from the second on: most rounds have one
  private MergedChecks last;
  private int requests;
  private int budgets;
  private volatile List<Flush> flushes = List.of();

  /**
   * @param now from before it is sent
   * @param next run when all answers are there, unless that was before {@link #send} returned
   */
  FlushRound(FlushQueues queues, long now, Runnable next) {
    this.queues = queues;
    this.now = now;
    this.next = next;
  }

  boolean isFull() {
    return requests >= queues.options.batch() || budgets >= FULL_AT_BUDGETS;
  }

  void add(PendingAnswer<?> answer) {
    if (!(answer instanceof PendingCheck check)) {
      FlushEntry.of(answer, queues.recorder).forEach(entry -> add(answer.domain(), entry));
    } else if (last != null && last.accepts(check)) {
      last.add(check);
    } else {
      merge(check);
    }
  }

  private void merge(PendingCheck check) {
    MergedChecks known = last == null ? null : known(check);
    if (known != null && known.accepts(check)) {
      known.add(check);
      last = known;
      return;
    }
    last = new MergedChecks(check, queues.recorder);
    if (merged != null) {
      merged.put(new CheckKey(check.set(), check.cost()), last);
    }
    add(check.domain(), last);
  }

  private MergedChecks known(PendingCheck check) {
    if (merged == null) {
      merged = new HashMap<>();
      merged.put(new CheckKey(last.set(), last.cost()), last);
    }
    return merged.get(new CheckKey(check.set(), check.cost()));
  }

  private void add(String domain, FlushEntry entry) {
    List<FlushEntry> entries = byDomain.get(domain);
    if (entries == null) {
      entries = new ArrayList<>(2);
      byDomain.put(domain, entries);
    }
    entries.add(entry);
    requests++;
    budgets += entry.budgets();
  }

  /** True if all answers are there already. */
  boolean send() {
    List<Flush> all = new ArrayList<>(byDomain.size());
    byDomain.forEach(
        (domain, entries) ->
            all.add(
                new Flush(
                    queues,
                    domain,
                    queues.leases.with(entries, now),
                    now,
                    false,
                    this::onFlushComplete)));
    open.set(all.size() + 1);
    flushes = all;
    for (Flush flush : all) {
      flush.send();
    }
    return open.decrementAndGet() == 0 && done.compareAndSet(false, true);
  }

  private void onFlushComplete() {
    if (open.decrementAndGet() == 0 && done.compareAndSet(false, true)) {
      next.run();
    }
  }

  void expire(long at) {
    if (done.get()) {
      return;
    }
    List<Flush> sent = flushes;
    sent.forEach(flush -> flush.expire(at));
    if (!sent.isEmpty() && at - now >= ABANDON_AFTER && done.compareAndSet(false, true)) {
      next.run();
    }
  }
}
