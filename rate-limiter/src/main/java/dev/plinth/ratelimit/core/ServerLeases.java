package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.Settle;
import dev.plinth.ratelimit.core.Outcome.Settled;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Leases of this node, for budgets that are asked for so often that even shared requests are too
 * many. A lease is asked for with a flush of its budgets, spent from memory, and settled with the
 * next flush; one that is over or not used for a moment is given back. What is never settled, since
 * this node died or the store was away, was charged all the same.
 */
final class ServerLeases {
  private static final long SWEEP = TimeUnit.MILLISECONDS.toNanos(50);

  private final Node node;
  private final Tuning tuning;
  private final Ledger ledger;
  private final Consumer<Waiting<?>> submit;
  private final Set<ServerLease> held = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final String prefix = "n-" + UUID.randomUUID() + "-";
  private final AtomicLong tickets = new AtomicLong();
  private volatile boolean closed;

  ServerLeases(Node node, Tuning tuning, Ledger ledger, Consumer<Waiting<?>> submit) {
    this.node = node;
    this.tuning = tuning;
    this.ledger = ledger;
    this.submit = submit;
  }

  /**
   * The requests of a flush, with what there is to do about leases of the same budgets: what the
   * last one did not spend is given back first, the next is asked for at the end.
   */
  List<Slip> with(List<Slip> slips, long now) {
    List<Slip> asks = null;
    List<Slip> all = slips;
    for (Slip slip : slips) {
      LeaseAsk ask = slip instanceof Merged merged ? ask(merged, now) : null;
      if (ask != null) {
        asks = asks == null ? new ArrayList<>() : asks;
        all = all == slips ? new ArrayList<>() : all;
        asks.add(ask);
        Sent settle = retire(ask.set().lease(), now);
        if (settle != null) {
          all.add(settle);
        }
      }
    }
    if (asks != null) {
      all.addAll(slips);
      all.addAll(asks);
    }
    return all;
  }

  private LeaseAsk ask(Merged merged, long now) {
    BudgetSet set = merged.set();
    if (!isServed(set)) {
      return null;
    }
    set.demand().saw(now, merged.checks(), merged.checks() * merged.cost());
    return ask(set, now);
  }

  private boolean isServed(BudgetSet set) {
    return !closed && set.terms() != null && set.terms().abovePerSecond() >= 0;
  }

  /** The next one is asked for while the last is still being spent. */
  void renew(BudgetSet set) {
    LeaseAsk ask = closed ? null : ask(set, node.nanos().getAsLong());
    if (ask != null) {
      submit.accept(ask);
    }
  }

  private LeaseAsk ask(BudgetSet set, long now) {
    ServerLease lease = set.lease();
    if (lease != null) {
      count(lease, lease.left(), now);
    }
    LeaseTerms terms = set.terms();
    boolean lasts = lease != null && !lease.isOver(now) && !lease.isNearlySpent();
    if (lasts || !set.demand().isAbove(terms.abovePerSecond()) || !set.ask()) {
      return null;
    }
    long amount = terms.atMost(set.demand().in(terms.ttl()));
    if (amount < 2) {
      set.asked();
      return null;
    }
    String ticket = prefix + tickets.incrementAndGet();
    return new LeaseAsk(this, set, ticket, amount, now + tuning.storeBudget().toNanos());
  }

  void install(ServerLease lease) {
    ledger.events().leased(lease.granted());
    ledger.events().leasesHeld(1, lease.granted());
    held.add(lease);
    give(lease.set().lease(lease));
    if (closed) {
      give(lease);
    } else {
      sweepSoon();
    }
  }

  private void give(ServerLease lease) {
    Sent settle = retire(lease, node.nanos().getAsLong());
    if (settle != null) {
      submit.accept(settle);
    }
  }

  /** Ends a lease; null if it was over, or there is none. */
  private Sent retire(ServerLease lease, long now) {
    long unspent = lease == null ? -1 : lease.end();
    if (unspent < 0) {
      return null;
    }
    BudgetSet set = lease.set();
    set.drop(lease);
    held.remove(lease);
    count(lease, unspent, now);
    ledger.events().leasesHeld(-1, -lease.granted());
    ledger.events().leaseEnded(lease.granted(), unspent);
    Sent settle =
        new Sent(
            set.domain(),
            set.place(),
            now + tuning.storeBudget().toNanos(),
            Request.of(new Settle(lease.ticket(), lease.granted() - unspent)));
    settle.thenAccept(
        outcome -> {
          if (outcome instanceof Settled settled && settled.refunded() > 0) {
            ledger.denials().given(set);
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
    for (ServerLease lease : held) {
      if (lease.isOver(now) || lease.isIdle()) {
        give(lease);
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
    List<Sent> settles = new ArrayList<>();
    long now = node.nanos().getAsLong();
    for (ServerLease lease : held) {
      Sent settle = retire(lease, now);
      if (settle != null) {
        settles.add(settle);
        submit.accept(settle);
      }
    }
    return CompletableFuture.allOf(settles.toArray(CompletableFuture[]::new));
  }
}
