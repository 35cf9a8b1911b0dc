package dev.plinth.ratelimit.core;

import dev.plinth.ratelimit.core.Operation.Take;
import dev.plinth.ratelimit.core.Operation.Ticket;
import dev.plinth.ratelimit.core.Outcome.Taken;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Asks for a lease of this node. An answer that is late is good until the lease's own deadline. */
final class LeaseAsk extends Waiting<Void> implements Slip {
  /** Until when a lease that is over can still be settled, in microseconds. */
  private static final long GRACE = 1_000_000;

  private final ServerLeases leases;
  private final BudgetSet set;
  private final String ticket;
  private final long amount;

  LeaseAsk(ServerLeases leases, BudgetSet set, String ticket, long amount, long deadline) {
    super(set.domain(), set.place(), deadline);
    this.leases = leases;
    this.set = set;
    this.ticket = ticket;
    this.amount = amount;
  }

  BudgetSet set() {
    return set;
  }

  @Override
  public Request request() {
    Ticket note = new Ticket(ticket, set.terms().ttl() + GRACE);
    return Request.of(new Take(set.charges(0), 1, false, 0, amount, Optional.of(note)));
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
    over();
  }

  @Override
  public void failed(Throwable cause) {
    over();
  }

  @Override
  public void expire(long now) {
    if (isDue(now)) {
      over();
    }
  }

  @Override
  void away(boolean sent) {
    over();
  }

  /** The next may be asked for. */
  private void over() {
    if (complete(null)) {
      set.asked();
    }
  }
}
