package dev.plinth.ratelimit.core;

import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Limits on a manual clock, over a store whose answers a test holds. */
final class Deciding {
  final ManualClock clock;
  final HeldStore store;
  final CountedEvents events = new CountedEvents();
  final Limits limits;
  int nodes = 1;

  Deciding() {
    this(Tuning.DEFAULT);
  }

  Deciding(Tuning tuning) {
    this(tuning, new ManualClock());
  }

  private Deciding(Tuning tuning, ManualClock clock) {
    this(tuning, clock, new HeldStore(clock));
  }

  /** One of several nodes over a store. */
  Deciding(Tuning tuning, ManualClock clock, HeldStore store) {
    this.clock = clock;
    this.store = store;
    this.limits =
        new Limits(
            store,
            tuning,
            new Node(clock, clock.nanos(), clock.scheduler(), () -> nodes, 1L << 26, events));
  }

  /** A store that answers at once. */
  static Deciding prompt() {
    Deciding deciding = new Deciding();
    deciding.store.prompt();
    return deciding;
  }

  CompletableFuture<Decision> check(CompiledPolicy policy, long cost, String... pairs) {
    return limits.check(policy, RuleOf.check(cost, pairs)).toCompletableFuture();
  }

  List<CompletableFuture<Decision>> checks(
      CompiledPolicy policy, int many, long cost, String... pairs) {
    List<CompletableFuture<Decision>> all = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      all.add(check(policy, cost, pairs));
    }
    return all;
  }

  void advance(long millis) {
    clock.advance(Duration.ofMillis(millis));
  }

  static Throwable failure(CompletableFuture<?> failed) {
    try {
      Object value = failed.getNow(null);
      throw new AssertionError("not failed, but " + value);
    } catch (CompletionException e) {
      return e.getCause();
    }
  }
}
