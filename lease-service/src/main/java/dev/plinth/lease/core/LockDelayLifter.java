package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.util.List;

/** Lifts the lock-delays of keys: when their time is over, or when the lost owner is back. */
final class LockDelayLifter {
  private final WaitQueues waitQueues;
  private final LeaseNamespaces leaseNamespaces;

  LockDelayLifter(WaitQueues waitQueues, LeaseNamespaces leaseNamespaces) {
    this.waitQueues = waitQueues;
    this.leaseNamespaces = leaseNamespaces;
  }

  /** One timer for a key, however many of its holders are lost one after the other. */
  void liftLater(LeaseKey key, Tx tx) {
    if (key.lockDelayTimer != null) {
      key.lockDelayTimer.cancel();
    }
    key.lockDelayTimer = tx.at(key.lockDelay.nextEnd(tx.nanos()), later -> liftIfOver(key, later));
  }

  private void liftIfOver(LeaseKey key, Tx tx) {
    if (key.lockDelay.left(tx.nanos()).isZero()) {
      lift(key, tx);
      key.countBarred();
    } else {
      liftLater(key, tx);
    }
    // Also while others' delays run: the owner that is lost last may be free to come back.
    waitQueues.promote(List.of(key), tx);
    leaseNamespaces.forgetIfUnused(key);
  }

  /** A lost owner that asks for the key itself is back; one that is handed it may not know. */
  static void reclaim(LeaseKey key, String owner, Tx tx) {
    if (!key.lockDelay.isNone()) {
      key.lockDelay.reclaim(owner);
      if (key.lockDelay.left(tx.nanos()).isZero()) {
        lift(key, tx);
      } else {
        KeyRows.putLost(key, tx);
      }
    }
  }

  private static void lift(LeaseKey key, Tx tx) {
    key.lockDelayTimer.cancel();
    key.lockDelay.clear();
    KeyRows.deleteLost(key, tx);
  }
}
