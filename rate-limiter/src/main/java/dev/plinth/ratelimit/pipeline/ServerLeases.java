package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Operation.Settle;
import dev.plinth.ratelimit.store.Outcome.Settled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Leases of this node, for budgets that are checked so often that even shared requests are too
 * many. A lease is asked for with a flush of its budgets, spent from memory, and settled with the
 * next flush; one that is over or not used for a moment is given back. What is never settled, since
 * this node died or the store was away, was charged all the same.
 */
final class ServerLeases {
  private static final long SWEEP = TimeUnit.MILLISECONDS.toNanos(50);

  private final NodeContext node;
  private final PipelineOptions tuning;
  private final DecisionRecorder recorder;
  private final Consumer<PendingAnswer<?>> submit;
  private final Set<ServerLease> held = Collections.synchronizedSet(new LinkedHashSet<>());
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final String prefix;
  private final AtomicLong tickets = new AtomicLong();
  private volatile boolean closed;

  ServerLeases(
      NodeContext node,
      PipelineOptions tuning,
      DecisionRecorder recorder,
      Consumer<PendingAnswer<?>> submit) {
    this.node = node;
    this.tuning = tuning;
    this.recorder = recorder;
    this.submit = submit;
    this.prefix = "n-" + Tickets.newUuid(node.machine().secureRandom()) + "-";
  }

  /**
   * The requests of a flush, with what there is to do about leases of the same budgets: what the
   * last one did not spend is returned first, the next is requested at the end.
   */
  List<FlushEntry> with(List<FlushEntry> entries, long now) {
    List<FlushEntry> requests = null;
    List<FlushEntry> all = entries;
    for (FlushEntry entry : entries) {
      PendingServerLease request =
          entry instanceof MergedChecks merged ? request(merged, now) : null;
      if (request != null) {
        requests = requests == null ? new ArrayList<>() : requests;
        all = all == entries ? new ArrayList<>() : all;
        requests.add(request);
        PendingRequest settle = retire(request.set().lease(), now);
        if (settle != null) {
          all.add(settle);
        }
      }
    }
    if (requests != null) {
      all.addAll(entries);
      all.addAll(requests);
    }
    return all;
  }

  private PendingServerLease request(MergedChecks merged, long now) {
    BudgetSet set = merged.set();
    if (!isLeased(set)) {
      return null;
    }
    set.demand().add(now, merged.checks(), merged.checks() * merged.cost());
    return request(set, now);
  }

  private boolean isLeased(BudgetSet set) {
    return !closed && set.terms() != null && set.terms().abovePerSecond() >= 0;
  }

  /** Decides by the lease of the set; null if there is none, or not so much left. */
  Decision spend(BudgetSet set, long cost, long now) {
    ServerLease lease = set.lease();
    if (lease == null || !lease.spend(cost, now)) {
      return null;
    }
    if (lease.isLow()) {
      renew(set);
    }
    recorder.localBudgets.admitted(set, cost);
    return DecisionRecorder.count(recorder.events, set, lease.decision(cost));
  }

  /** The next one is asked for while the last is still being spent. */
  private void renew(BudgetSet set) {
    PendingServerLease request = closed ? null : request(set, node.nanos().getAsLong());
    if (request != null) {
      submit.accept(request);
    }
  }

  private PendingServerLease request(BudgetSet set, long now) {
    ServerLease lease = set.lease();
    if (lease != null) {
      count(lease, lease.left(), now);
    }
    LeaseTerms terms = set.terms();
    boolean lasts = lease != null && !lease.isExpired(now) && !lease.isNearlySpent();
    if (lasts || !set.demand().isAbove(terms.abovePerSecond()) || !set.beginLeaseRequest()) {
      return null;
    }
    long amount = terms.atMost(set.demand().unitsIn(terms.ttl()));
    if (amount < 2) {
      set.endLeaseRequest();
      return null;
    }
    String ticket = prefix + tickets.incrementAndGet();
    return new PendingServerLease(this, set, ticket, amount, now + tuning.storeBudget().toNanos());
  }

  void install(ServerLease lease) {
    recorder.events.leased(lease.granted());
    recorder.events.leasesHeld(1, lease.granted());
    held.add(lease);
    returnToStore(lease.set().lease(lease));
    if (closed) {
      returnToStore(lease);
    } else {
      sweepSoon();
    }
  }

  private void returnToStore(ServerLease lease) {
    PendingRequest settle = retire(lease, node.nanos().getAsLong());
    if (settle != null) {
      submit.accept(settle);
    }
  }

  /** Ends a lease; null if it was over, or there is none. */
  private PendingRequest retire(ServerLease lease, long now) {
    long unspent = lease == null ? -1 : lease.end();
    if (unspent < 0) {
      return null;
    }
    BudgetSet set = lease.set();
    set.drop(lease);
    held.remove(lease);
    count(lease, unspent, now);
    recorder.events.leasesHeld(-1, -lease.granted());
    recorder.events.leaseEnded(lease.granted(), unspent);
    PendingRequest settle =
        new PendingRequest(
            set.domain(),
            set.queueHash(),
            now + tuning.storeBudget().toNanos(),
            BudgetRequest.of(new Settle(lease.ticket(), lease.granted() - unspent)));
    settle.thenAccept(
        outcome -> {
          if (outcome instanceof Settled settled && settled.refunded() > 0) {
            recorder.denials.budgetReturned(set);
          }
        });
    return settle;
  }

  private void count(ServerLease lease, long unspent, long now) {
    if (unspent < 0) {
      return; // ended meanwhile, and counted by whoever did that
    }
    long spent = lease.uncounted(unspent);
    if (spent > 0) {
      lease.set().demand().spent(now, spent);
    }
  }

  private void sweepSoon() {
    if (!sweeping.get() && sweeping.compareAndSet(false, true)) {
      try {
        node.scheduler().schedule(this::sweep, SWEEP, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        sweeping.set(false);
      }
    }
  }

  private void sweep() {
    sweeping.set(false);
    long now = node.nanos().getAsLong();
    for (ServerLease lease : List.copyOf(held)) {
      if (lease.isExpired(now) || lease.isIdle()) {
        returnToStore(lease);
      } else {
        count(lease, lease.left(), now);
      }
    }
    if (!held.isEmpty()) {
      sweepSoon();
    }
  }

  /** Gives everything back, and asks for no more. */
  CompletableFuture<Void> close() {
    closed = true;
    List<PendingRequest> settles = new ArrayList<>();
    long now = node.nanos().getAsLong();
    for (ServerLease lease : List.copyOf(held)) {
      PendingRequest settle = retire(lease, now);
      if (settle != null) {
        settles.add(settle);
        submit.accept(settle);
      }
    }
    return CompletableFuture.allOf(settles.toArray(CompletableFuture[]::new));
  }
}
