package dev.plinth.simulation.network;

import dev.plinth.simulation.kernel.SimulatedProcess;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/** The way of messages from one computer to another. Cut, it holds them back: TCP sends again. */
final class Link {
  private static final long LEAST_NANOS = 50_000;

  private final SplittableRandom random;
  private final Deque<Runnable> held = new ArrayDeque<>();
  private long spread = 500_000;
  private boolean cut;

  Link(SplittableRandom random) {
    this.random = random;
  }

  /** Most delays are short, some are a multiple of it. */
  void delay(long nanos) {
    spread = nanos;
  }

  void cut() {
    cut = true;
  }

  boolean isCut() {
    return cut;
  }

  void heal() {
    cut = false;
    while (!cut && !held.isEmpty()) {
      held.poll().run();
    }
  }

  void forget() {
    held.clear();
  }

  /**
   * Sends one message of a call.
   *
   * @param order of the messages of one call in one direction
   */
  void send(SimulatedProcess from, SimulatedProcess to, MessageOrder order, Runnable message) {
    if (!from.isAlive()) {
      return;
    }
    if (cut || order.holds() > 0) {
      order.hold(1);
      held.add(
          () -> {
            order.hold(-1);
            deliver(to, order, message);
          });
    } else {
      deliver(to, order, message);
    }
  }

  private void deliver(SimulatedProcess to, MessageOrder order, Runnable message) {
    long delay = LEAST_NANOS + random.nextLong(spread);
    if (random.nextInt(50) == 0) {
      delay += random.nextLong(spread * 10);
    }
    long arrival = order.arrival(to.simulation().now() + delay);
    to.after(arrival - to.simulation().now(), () -> to.arrived(message));
  }
}
