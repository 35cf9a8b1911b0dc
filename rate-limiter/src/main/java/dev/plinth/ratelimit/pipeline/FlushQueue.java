package dev.plinth.ratelimit.pipeline;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The queue of requests for some of the budgets. One round of flushes is in flight at a time, and
 * the next takes all that was queued meanwhile. No request waits for a timer, and the busier a
 * budget is, the more checks share a request. The thread that finds the queue idle, or completes a
 * round, sends the next.
 */
final class FlushQueue {
  /** After so many rounds in a row that the store answered at once, another thread continues. */
  private static final int MAX_ROUNDS = 64;

  private static final int MAX_CHECKS = 16_384;

  private final FlushQueues queues;
  private final Queue<PendingAnswer<?>> pending = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile FlushRound inFlight;

  FlushQueue(FlushQueues queues) {
    this.queues = queues;
  }

  void add(PendingAnswer<?> answer, long now) {
    if (pending.isEmpty() && busy.compareAndSet(false, true)) {
      FlushRound round = new FlushRound(queues, now, this::resume);
      round.add(answer);
      if (!isAnswered(round)) {
        return;
      }
      inFlight = null;
      busy.set(false);
    } else {
      pending.add(answer);
    }
    run();
  }

  private void run() {
    while (!pending.isEmpty() && busy.compareAndSet(false, true)) {
      if (!sendRounds()) {
        return;
      }
      busy.set(false);
    }
  }

  /** Continues after a round that did not complete at once. */
  private void resume() {
    if (sendRounds()) {
      busy.set(false);
      run();
    }
  }

  /** True if nothing is left to send; false if the end of the round continues. */
  private boolean sendRounds() {
    for (int i = 0; !pending.isEmpty(); i++) {
      if (i == MAX_ROUNDS && queues.executeLater(this::resume)) {
        return false;
      }
      if (!isAnswered(next())) {
        return false;
      }
    }
    inFlight = null;
    return true;
  }

  private boolean isAnswered(FlushRound round) {
    inFlight = round;
    boolean answered = round.send();
    if (!answered) {
      queues.watch();
    }
    return answered;
  }

  private FlushRound next() {
    long now = queues.now();
    FlushRound round = new FlushRound(queues, now, this::resume);
    boolean useStore = queues.breaker.isClosed();
    for (int i = 0; i < MAX_CHECKS && !round.isFull(); i++) {
      PendingAnswer<?> answer = pending.poll();
      if (answer == null) {
        break;
      }
      if (answer.isDone() || isDecidedLocally(answer, now)) {
        continue;
      }
      if (useStore) {
        round.add(answer);
      } else {
        answer.onStoreUnavailable(false);
      }
    }
    return round;
  }

  /** Answers it from memory, if a lease or a denial has come meanwhile. */
  private boolean isDecidedLocally(PendingAnswer<?> answer, long now) {
    if (!(answer instanceof PendingCheck check)) {
      return false;
    }
    Decision known = queues.decideLocally(check.set(), check.cost(), now);
    if (known != null) {
      check.complete(known);
    }
    return known != null;
  }

  /** True while a request may be waiting. */
  boolean expire(long now) {
    FlushRound round = inFlight;
    if (round != null) {
      round.expire(now);
    }
    for (PendingAnswer<?> answer : pending) {
      if (!answer.isDue(now)) {
        break;
      }
      answer.onStoreUnavailable(false);
    }
    return busy.get() || !pending.isEmpty();
  }
}
