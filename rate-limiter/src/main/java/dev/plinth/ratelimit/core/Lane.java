package dev.plinth.ratelimit.core;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Everything that waits for some of the budgets. One round of flushes is under way at a time, and
 * the next takes all that came meanwhile: nobody waits for a timer, and the busier a budget is, the
 * more checks share a request. Whoever finds the lane free, or ends a round, sends the next.
 */
final class Lane {
  /** After so many rounds in a row that the store answered at once, another thread goes on. */
  private static final int ROUNDS = 64;

  private static final int CHECKS = 16_384;

  private final Lanes lanes;
  private final Queue<Waiting<?>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile Round under;

  Lane(Lanes lanes) {
    this.lanes = lanes;
  }

  void add(Waiting<?> waiting, long now) {
    if (queue.isEmpty() && busy.compareAndSet(false, true)) {
      Round round = new Round(lanes, now, this::resume);
      round.add(waiting);
      if (!isAnswered(round)) {
        return;
      }
      under = null;
      busy.set(false);
    } else {
      queue.add(waiting);
    }
    run();
  }

  private void run() {
    while (!queue.isEmpty() && busy.compareAndSet(false, true)) {
      if (!rounds()) {
        return;
      }
      busy.set(false);
    }
  }

  /** Goes on after a round that was not over at once. */
  private void resume() {
    if (rounds()) {
      busy.set(false);
      run();
    }
  }

  /** True if nothing is left to send; false if whoever ends the round goes on. */
  private boolean rounds() {
    for (int i = 0; !queue.isEmpty(); i++) {
      if (i == ROUNDS && lanes.handOver(this::resume)) {
        return false;
      }
      if (!isAnswered(next())) {
        return false;
      }
    }
    under = null;
    return true;
  }

  private boolean isAnswered(Round round) {
    under = round;
    boolean answered = round.send();
    if (!answered) {
      lanes.watch();
    }
    return answered;
  }

  private Round next() {
    long now = lanes.now();
    Round round = new Round(lanes, now, this::resume);
    boolean asked = lanes.isStoreAsked();
    for (int i = 0; i < CHECKS && !round.isFull(); i++) {
      Waiting<?> waiting = queue.poll();
      if (waiting == null) {
        break;
      }
      if (waiting.isDone() || lanes.isKnown(waiting, now)) {
        continue;
      }
      if (asked) {
        round.add(waiting);
      } else {
        waiting.away(false);
      }
    }
    return round;
  }

  /** True while somebody may wait. */
  boolean expire(long now) {
    Round round = under;
    if (round != null) {
      round.expire(now);
    }
    for (Waiting<?> waiting : queue) {
      if (!waiting.isDue(now)) {
        break;
      }
      waiting.away(false);
    }
    return busy.get() || !queue.isEmpty();
  }
}
