package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Operation.Ticket;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Taken;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A server lease that is being requested. A late answer is good until the lease's own deadline. */
final class PendingServerLease extends PendingAnswer<Void> implements FlushEntry {
  /** Until when a lease that is over can still be settled, in microseconds. */
  private static final long GRACE = 1_000_000;

  private final ServerLeases leases;
  private final BudgetSet set;
  private final String ticket;
  private final long amount;

  PendingServerLease(
      ServerLeases leases, BudgetSet set, String ticket, long amount, long deadline) {
    super(set.domain(), set.queueHash(), deadline);
    this.leases = leases;
    this.set = set;
    this.ticket = ticket;
    this.amount = amount;
  }

  BudgetSet set() {
    return set;
  }

  @Override
  public BudgetRequest request() {
    Ticket granted = new Ticket(ticket, set.terms().ttl() + GRACE);
    return BudgetRequest.of(new Take(set.charges(0), 1, false, 0, amount, Optional.of(granted)));
  }

  @Override
  public int budgets() {
    return set.budgets().size();
  }

  @Override
  public int checks() {
    return 0;
  }

  @Override
  public void answered(Outcome outcome, Flush flush) {
    if (outcome instanceof Taken taken && taken.leased() > 0) {
      long deadline = flush.sentAt() + TimeUnit.MICROSECONDS.toNanos(set.terms().ttl());
      leases.install(
          new ServerLease(
              set,
              ticket,
              taken.leased(),
              deadline,
              Statuses.admitted(set, taken.standings(), 0, 0)));
    }
    finish();
  }

  @Override
  public void failed(Throwable cause) {
    finish();
  }

  @Override
  public void expire(long now) {
    if (isDue(now)) {
      finish();
    }
  }

  @Override
  void onStoreUnavailable(boolean maybeCharged) {
    finish();
  }

  /** The next may be requested. */
  private void finish() {
    if (complete(null)) {
      set.endLeaseRequest();
    }
  }
}
