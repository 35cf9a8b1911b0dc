package dev.plinth.simulation.network;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Messages that arrived, handed on as they are asked for, and what follows the last of them. */
final class InboundMessages {
  private final Deque<byte[]> messages = new ArrayDeque<>();
  private final Consumer<byte[]> taken;
  private long requested;
  private Runnable end;
  private boolean delivering;

  InboundMessages(Consumer<byte[]> taken) {
    this.taken = taken;
  }

  void request(int more) {
    requested += more;
  }

  void arrived(byte[] message) {
    messages.add(message);
  }

  /** Runs once all messages are taken. */
  void ends(Runnable task) {
    end = task;
  }

  void clear() {
    messages.clear();
    end = null;
  }

  boolean hasWork() {
    return !delivering
        && (requested > 0 && !messages.isEmpty() || messages.isEmpty() && end != null);
  }

  /** Hands on what it may. A message's taker may ask for more meanwhile. */
  void deliver() {
    if (delivering) {
      return;
    }
    delivering = true;
    try {
      while (requested > 0 && !messages.isEmpty()) {
        requested--;
        taken.accept(messages.poll());
      }
    } finally {
      delivering = false;
    }
    if (messages.isEmpty() && end != null) {
      Runnable last = end;
      end = null;
      last.run();
    }
  }
}
