package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/** A client's sign of life and all that hangs on it. */
final class Session {
  final String namespace;
  final String id;
  final String ownerId;
  final ExpiryTimer expiryTimer;
  final Duration lockDelay;

  /** Of the secret that lets a client go on with it. */
  final String digest;

  final Set<Hold> holds = new LinkedHashSet<>();
  final Set<Waiter> waits = new LinkedHashSet<>();

  /** Holds that an operator wants back. */
  final Set<Hold> asked = new LinkedHashSet<>();

  final Set<HoldListener> keepers = new LinkedHashSet<>();

  /** Calls that closed it, to be told how many keys it released once it is gone. */
  final List<BiConsumer<Integer, Tx>> closers = new ArrayList<>(0);

  private HoldEnd ending;

  Session(
      String namespace,
      String id,
      String ownerId,
      Duration ttl,
      Duration lockDelay,
      String digest) {
    this.namespace = namespace;
    this.id = id;
    this.ownerId = ownerId;
    this.expiryTimer = new ExpiryTimer(ttl);
    this.lockDelay = lockDelay;
    this.digest = digest;
  }

  void end(HoldEnd how) {
    ending = how;
    expiryTimer.stop();
  }

  /** It ends, though some of its keys may still be on their way back. */
  boolean isEnded() {
    return ending != null;
  }

  /** How it ends; null while it is open. */
  HoldEnd ending() {
    return ending;
  }

  void leave(Hold hold) {
    asked.remove(hold);
    holds.remove(hold);
  }
}
