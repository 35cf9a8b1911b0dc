package dev.plinth.ratelimit.core;

/** Decisions that need no store: from a lease, which was charged before, or by a denial. */
final class Memory {
  private final Ledger ledger;
  private final ServerLeases leases;
  private final Alone alone;

  Memory(Ledger ledger, ServerLeases leases, Alone alone) {
    this.ledger = ledger;
    this.leases = leases;
    this.alone = alone;
  }

  /** Null if only the store knows. */
  Decision decide(BudgetSet set, long cost, long now) {
    ServerLease lease = set.lease();
    if (lease != null && lease.spend(cost, now)) {
      if (lease.isLow()) {
        leases.renew(set);
      }
      alone.admitted(set, cost);
      return Ledger.counted(ledger.events(), set, lease.decision(cost));
    }
    return denied(set, cost, now);
  }

  /** Null if it is not known to be denied. */
  Decision denied(BudgetSet set, long cost, long now) {
    Decision denied = ledger.denials().find(set, cost, now);
    return denied == null ? null : Ledger.counted(ledger.events(), set, denied);
  }
}
