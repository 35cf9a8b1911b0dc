package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.plinth.shards.fixture.Answer;
import dev.plinth.shards.fixture.ManualTx;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** A shard's leases on a clock that the test moves, with commits that take effect at once. */
abstract class CoreTest {
  static final LeaseName PRINTER = new LeaseName("default", "printer");
  static final Duration TTL = Duration.ofSeconds(10);
  static final Duration LONG = Duration.ofMinutes(5);

  final ManualClock clock = new ManualClock();
  final ManualTx tx = ManualTx.direct(clock);
  private final Map<Answer<AcquireResult>, AcquireSpec> specs = new IdentityHashMap<>();
  final CountedEvents events = new CountedEvents();
  Leases leases = new Leases(clock, events, LeaseApp.HISTORY_BYTES);

  /** As the next owner of the shard does it. */
  final void takeOver() {
    tx.crash();
    leases = new Leases(clock, events, LeaseApp.HISTORY_BYTES);
    leases.load(tx.stored(), tx);
  }

  /** As if so many grants had been. */
  final void giveTokens(int count) {
    for (int i = 0; i < count; i++) {
      tx.token();
    }
  }

  final Answer<AcquireResult> acquire(String owner) {
    return acquire(wish(owner));
  }

  final Answer<AcquireResult> wait(String owner, int priority) {
    return acquire(wish(owner).wait(LONG).priority(priority));
  }

  final Answer<AcquireResult> acquire(Wish spec) {
    Answer<AcquireResult> answer = new Answer<>();
    AcquireSpec built = spec.build();
    specs.put(answer, built);
    leases.acquire(built, AcquireListener.of(answer, result -> result), tx.next());
    return answer;
  }

  /** As when a waiter's call breaks off. */
  final void abandon(Answer<AcquireResult> waiting) {
    waiting.abandoned = true;
    leases.abandon(specs.get(waiting), tx.next());
  }

  final void comeBack(Answer<AcquireResult> waiting) {
    waiting.abandoned = false;
    leases.rejoin(specs.get(waiting), tx.next());
  }

  /** All holds, in the order of their keys. */
  final List<LeaseView> held() {
    return leases.snapshot("default", "", tx.nanos());
  }

  final WaitersView waiters(String key) {
    return leases.waiters(new LeaseName("default", key), 10_000, tx);
  }

  static Wish wish(String owner) {
    return new Wish(owner);
  }

  static Wish delayed(String owner, Duration delay) {
    return wish(owner).delay(delay);
  }

  static Wish inSession(String owner, String session, String key) {
    return wish(owner).session(session).key(key).wait(LONG);
  }

  static LeaseView granted(Answer<AcquireResult> answer) {
    return assertInstanceOf(
            AcquireResult.Granted.class, answer.answer, () -> String.valueOf(answer.failure))
        .leases()
        .get(0);
  }

  final String openSession(String owner, Duration lockDelay) {
    return leases
        .sessions()
        .open("default", owner, Optional.of(TTL), Optional.of(lockDelay), "secret", tx.next())
        .id();
  }

  /** Keys released, or null if that is not done yet. */
  final Integer closeSession(String id) {
    AtomicReference<Integer> released = new AtomicReference<>();
    leases.sessions().close("default", id, (count, last) -> released.set(count), tx.next());
    return released.get();
  }

  final List<LeaseView> forceRelease(Optional<Long> token) {
    List<LeaseView> ended = new ArrayList<>();
    HoldEnd how = new HoldEnd(HoldEndCause.FORCED, "olga", "maintenance");
    leases
        .forcedReleases()
        .release(PRINTER, token, how, (views, last) -> ended.addAll(views), tx.next());
    return ended;
  }

  final List<String> holders(String key) {
    return leases.get(new LeaseName("default", key), tx).holders().stream()
        .map(LeaseView::ownerId)
        .toList();
  }

  /** All rows but the history's. */
  final Set<String> live() {
    return tx.rows().keySet().stream()
        .filter(key -> !key.startsWith(HistoryLog.PREFIX))
        .collect(Collectors.toSet());
  }

  /** What watchers were told. */
  final List<LeaseChange> changes() {
    return tx.events().stream().map(event -> (LeaseChange) event.body()).toList();
  }

  final List<HistoryEvent> history() {
    return leases.history().after(HistorySnapshot.Position.START, 10_000, entry -> true).entries();
  }
}
