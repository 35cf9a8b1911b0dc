package dev.plinth.testkit;

import dev.plinth.testkit.FaultProxy.Direction;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** The state of a {@link FaultProxy}'s network, shared by all its connections. */
final class Faults {
  private final Set<Direction> held = EnumSet.noneOf(Direction.class);
  private final Set<Direction> dropped = EnumSet.noneOf(Direction.class);
  private Duration delay = Duration.ZERO;
  private boolean cut;

  synchronized void delay(Duration by) {
    delay = by;
  }

  synchronized void cut(boolean now) {
    cut = now;
  }

  synchronized void hold(Direction... directions) {
    Collections.addAll(held, directions);
  }

  synchronized void drop(Direction direction) {
    dropped.add(direction);
  }

  synchronized void heal() {
    held.clear();
    dropped.clear();
    delay = Duration.ZERO;
    cut = false;
    notifyAll();
  }

  synchronized boolean isCut() {
    return cut;
  }

  /** Waits as the faults of now demand; true if the bytes may pass, false if they are lost. */
  boolean pass(Direction direction) throws InterruptedException {
    Duration wait;
    synchronized (this) {
      while (held.contains(direction)) {
        wait();
      }
      if (dropped.contains(direction)) {
        return false;
      }
      wait = delay;
    }
    Thread.sleep(wait.toMillis());
    return true;
  }
}
