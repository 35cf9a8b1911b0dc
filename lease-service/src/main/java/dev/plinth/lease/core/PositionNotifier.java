package dev.plinth.lease.core;

import dev.plinth.shards.Tx;

/** Tells waiters that stay on the line how far they are from its head. */
final class PositionNotifier {
  private PositionNotifier() {}

  /** To those whose position changed by a tenth or more. */
  static void notifyWaiters(LeaseKey key, Tx tx) {
    int reach = key.queue.toNotify();
    if (key.listeners == 0 || reach == 0) {
      return;
    }
    AcquireBlockers.Shown holders = AcquireBlockers.holders(key, tx);
    key.queue.visit(
        1,
        reach + 1,
        (waiter, position) -> {
          boolean moved = waiter.told == 0 || Math.abs(waiter.told - position) > position / 10;
          if (moved) {
            notifyWaiters(waiter, position, holders, tx);
          }
        });
  }

  /** To one that has just come, wherever it stands. */
  static void notifyFirst(Waiter waiter, Tx tx) {
    if (waiter.inLine && waiter.told == 0) {
      LeaseKey key = waiter.keys.get(0);
      notifyWaiters(waiter, key.queue.positionOf(waiter), AcquireBlockers.holders(key, tx), tx);
    }
  }

  private static void notifyWaiters(
      Waiter waiter, int position, AcquireBlockers.Shown holders, Tx tx) {
    if (waiter.acquireListener.wantsEvents() && !waiter.isAbandoned()) {
      waiter.told = position;
      waiter.acquireListener.onEvent(
          new HoldEvent.Queued(position, holders.leases(), holders.total()), tx);
    }
  }
}
