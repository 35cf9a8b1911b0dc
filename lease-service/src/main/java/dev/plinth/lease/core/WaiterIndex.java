package dev.plinth.lease.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;

/**
 * Everywhere a waiter is known: the queues of its keys, its session, its owner, its namespace, and
 * those whose calls broke off. It enters and leaves all of them at once.
 */
final class WaiterIndex {
  private final OwnerIndex ownerIndex;
  private final LeaseEvents events;
  private final DisconnectedWaiters disconnected = new DisconnectedWaiters();

  WaiterIndex(OwnerIndex ownerIndex, LeaseEvents events) {
    this.ownerIndex = ownerIndex;
    this.events = events;
  }

  /** Refuses one more where a quota is used up or a queue is full. */
  void admit(Waiter waiter) {
    LeaseNamespace leaseNamespace = waiter.keys.get(0).leaseNamespace;
    leaseNamespace.admitWaiter(waiter, ownerIndex.waitsOf(waiter.leaseOwner).size());
    int most = leaseNamespace.policy().most(Quota.WAITERS_PER_KEY);
    for (LeaseKey key : waiter.keys) {
      if (key.queue.size() >= most) {
        throw new Failure.Exhausted(
            ErrorReason.ERROR_REASON_QUEUE_FULL,
            "key " + key.name.key(),
            most + " wait for " + key.name.key() + " already",
            Duration.ofSeconds(1));
      }
    }
  }

  void enter(Waiter waiter) {
    waiter.inLine = true;
    for (LeaseKey key : waiter.keys) {
      key.queue.add(waiter);
      key.listeners += waiter.acquireListener.wantsEvents() ? 1 : 0;
      events.joined(key.queue.size());
    }
    if (waiter.session != null) {
      waiter.session.waits.add(waiter);
    }
    ownerIndex.waits(waiter);
    waiter.keys.get(0).leaseNamespace.enter(waiter);
    events.waiting(1);
  }

  void leave(Waiter waiter) {
    // Not asked of the queue: one that came back has the place of its former self.
    if (!waiter.inLine) {
      return;
    }
    waiter.inLine = false;
    forgetPosition(waiter);
    for (LeaseKey key : waiter.keys) {
      key.queue.remove(waiter);
      key.listeners -= waiter.acquireListener.wantsEvents() ? 1 : 0;
    }
    if (waiter.timeout != null) {
      waiter.timeout.cancel();
    }
    if (waiter.session != null) {
      waiter.session.waits.remove(waiter);
    }
    ownerIndex.waitsNoMore(waiter);
    waiter.keys.get(0).leaseNamespace.leave(waiter);
    events.waiting(-1);
  }

  /** Its call broke off; its place is kept until the timer fires. */
  void disconnect(Waiter waiter, Tx.Timer until) {
    waiter.setDisconnected(true);
    disconnected.add(waiter);
    waiter.keptUntil = until;
  }

  void reconnect(Waiter waiter) {
    forgetPosition(waiter);
    waiter.setDisconnected(false);
  }

  private void forgetPosition(Waiter waiter) {
    if (waiter.isDisconnected()) {
      waiter.keptUntil.cancel();
      disconnected.remove(waiter);
    }
  }

  /** The first whose call for the same broke off; null if there is none. */
  Waiter disconnected(AcquireSpec spec) {
    return disconnected.of(spec);
  }
}
