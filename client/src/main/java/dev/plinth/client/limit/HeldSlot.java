package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.RenewSlotResponse;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One place, from when it was given until it is given back or lost. It counts as lost when a
 * renewal says so, or when its time, counted from before the last request that was answered, is
 * nearly over: another may have the place then.
 */
final class HeldSlot {
  private static final int MARGIN_PARTS = 10;

  private final HeldSlots slots;
  private final String id;
  private final long token;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Runnable onLost = () -> {};
  private volatile boolean lost;
  private volatile long since;
  private volatile long validFor;

  HeldSlot(HeldSlots slots, dev.plinth.ratelimit.v1.Slot given, long sent) {
    this.slots = slots;
    this.id = given.getSlotId();
    this.token = given.getToken();
    this.since = sent;
    this.validFor = ClientWire.duration(given.getValidFor()).toNanos();
  }

  long token() {
    return token;
  }

  /** Runs the task once if the place is lost, at once if it was. */
  void onLost(Runnable task) {
    AtomicBoolean told = new AtomicBoolean();
    onLost =
        () -> {
          if (told.compareAndSet(false, true)) {
            task.run();
          }
        };
    if (lost) {
      onLost.run();
    }
  }

  /** On the event loop, now and then. */
  void renewIfDue() {
    long now = slots.context().now();
    if (over.get()) {
      return;
    }
    if (now - since >= validFor - validFor / MARGIN_PARTS) {
      lose(); // still to be released, should the service know of it
    } else if (now - since >= validFor / 3 && asking.compareAndSet(false, true)) {
      renew(now);
    }
  }

  private void renew(long sent) {
    slots
        .renew(id)
        .whenComplete(
            (answer, failure) -> {
              asking.set(false);
              if (failure == null) {
                renewed(answer, sent);
              }
            });
  }

  private void renewed(RenewSlotResponse answer, long sent) {
    if (answer.getOutcome() == RenewSlotResponse.Outcome.OUTCOME_RENEWED) {
      validFor = ClientWire.duration(answer.getValidFor()).toNanos();
      since = sent;
      slots.renewed();
    } else if (over.compareAndSet(false, true)) {
      lose();
    }
  }

  private void lose() {
    slots.drop(this, "LOST");
    lost = true;
    onLost.run();
  }

  /** Once, however often and by whomever it is called. */
  void release() {
    if (over.compareAndSet(false, true)) {
      slots.drop(this, "RELEASED");
      slots.release(id);
    }
  }
}
