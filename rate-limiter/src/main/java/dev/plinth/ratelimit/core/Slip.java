package dev.plinth.ratelimit.core;

import java.util.List;

/** One request of a flush, and who waits for its outcome. */
interface Slip {
  /** What is sent for one that waits, in this order. */
  static List<Slip> of(Waiting<?> waiting, Ledger ledger) {
    if (waiting instanceof Asked asked) {
      return List.of(new Merged(asked, ledger));
    } else if (waiting instanceof Sent sent && sent.before().isPresent()) {
      return List.of(sent.before().get(), sent);
    }
    return List.of((Slip) waiting);
  }

  Request request();

  /** How many checks it stands for. */
  int checks();

  /** Called once, with what the store said. */
  void answered(Outcome outcome, Flush flush);

  /** The store failed, or answered something else. */
  void failed(Throwable cause);

  /** Those that waited too long are decided without the store. */
  void expire(long now);
}
