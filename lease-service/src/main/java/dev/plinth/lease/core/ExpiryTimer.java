package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Time that runs out unless it is renewed. A renewal only moves the deadline; the timer that finds
 * it moved sets itself again. Followers are warned when a third is left.
 */
final class ExpiryTimer {
  final Duration ttl;
  private Set<HoldListener> listeners = Set.of();
  private long deadline;
  private Tx.Timer expiry;
  private Tx.Timer warning;
  private boolean inJeopardy;

  ExpiryTimer(Duration ttl) {
    this.ttl = ttl;
  }

  /** Its full time counts from now. */
  void begin(Tx tx, Tx.TimerTask over) {
    deadline = tx.nanos() + ttl.toNanos();
    expiry = tx.at(deadline, later -> endIfDue(later, over));
  }

  /** It has no time, and nothing waits for that. */
  void runOut(Tx tx) {
    deadline = tx.nanos();
  }

  private void endIfDue(Tx tx, Tx.TimerTask over) {
    if (deadline - tx.nanos() > 0) {
      expiry = tx.at(deadline, later -> endIfDue(later, over));
    } else {
      stop();
      over.run(tx);
    }
  }

  void renew(Tx tx) {
    deadline = tx.nanos() + ttl.toNanos();
    if (inJeopardy) {
      inJeopardy = false;
      List.copyOf(listeners)
          .forEach(holdListener -> holdListener.onEvent(new HoldEvent.Safe(), tx));
      warnLater(tx);
    }
  }

  /** It no longer runs out. */
  void stop() {
    cancel(expiry);
    cancel(warning);
    expiry = null;
    warning = null;
  }

  private static void cancel(Tx.Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  Duration left(long now) {
    return Duration.ofNanos(Math.max(0, deadline - now));
  }

  void addListener(HoldListener holdListener, Tx tx) {
    if (listeners.isEmpty()) {
      listeners = new LinkedHashSet<>();
    }
    listeners.add(holdListener);
    if (warning == null && !inJeopardy) {
      warnLater(tx);
    }
  }

  void removeListener(HoldListener holdListener) {
    if (!listeners.isEmpty()) {
      listeners.remove(holdListener);
    }
  }

  private void warnLater(Tx tx) {
    warning = tx.at(deadline - ttl.toNanos() / 3, this::warn);
  }

  private void warn(Tx tx) {
    warning = null;
    if (!listeners.isEmpty()) {
      listeners.removeIf(HoldListener::isGone);
    }
    if (listeners.isEmpty()) {
      return;
    }
    if (deadline - ttl.toNanos() / 3 - tx.nanos() > 0) {
      warnLater(tx);
      return;
    }
    inJeopardy = true;
    HoldEvent danger = new HoldEvent.Jeopardy(left(tx.nanos()));
    List.copyOf(listeners).forEach(holdListener -> holdListener.onEvent(danger, tx));
  }
}
