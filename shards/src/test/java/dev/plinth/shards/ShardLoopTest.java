package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.testkit.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Passes of a loop, one at a time, on a clock that the test moves. */
class ShardLoopTest {
  private static final TextApp TEXTS = new TextApp();

  private final ManualClock clock = new ManualClock();
  private final HeldStore store = new HeldStore();
  private final ShardLoop loop = new ShardLoop("test", clock.nanos());
  private final Shard shard =
      new Shard(
          store,
          store.claim(0).orElseThrow(),
          loop,
          clock.nanos(),
          new RequestMemo(4),
          new ShardMetrics(new SimpleMeterRegistry()));
  private final List<String> order = new ArrayList<>();

  @BeforeEach
  void takeOver() {
    shard.takeOver(List.of(TEXTS), 0, Witness.none());
    loop.add(shard);
  }

  @Test
  void urgentWork_goesFirst_thenTimers_thenTheRest() {
    at(10, "timer");
    clock.advance(Duration.ofMillis(10));
    loop.submit(Lane.NORMAL, () -> order.add("normal"));
    loop.submit(Lane.URGENT, () -> order.add("urgent"));
    loop.pass();
    assertEquals(List.of("urgent", "timer", "normal"), order);
  }

  @Test
  void afterAStall_timersWait_untilRenewalsHadTimeToArrive() {
    at(100, "expired");
    loop.pass();
    clock.advance(Duration.ofSeconds(10));
    loop.pass();
    assertEquals(List.of(), order, "late, but its renewal may be in a socket");
    loop.submit(Lane.URGENT, () -> order.add("renewed"));
    clock.advance(Duration.ofMillis(100));
    loop.pass();
    clock.advance(Duration.ofMillis(150));
    loop.pass();
    assertEquals(List.of("renewed", "expired"), order);
  }

  @Test
  void congestedShard_holdsNormalWorkBack_notUrgentWork() {
    store.maxWrites = 1;
    for (int i = 0; i < 6; i++) {
      shard.run(TEXTS, TextApp.put("k" + i, "x"), new PendingReply<>());
    }
    loop.pass();
    loop.submit(Lane.NORMAL, () -> order.add("normal"));
    loop.submit(Lane.URGENT, () -> order.add("urgent"));
    loop.pass();
    assertEquals(List.of("urgent"), order);
    store.finishAll();
    loop.pass();
    store.finishAll();
    loop.pass();
    assertEquals(List.of("urgent", "normal"), order);
  }

  private void at(long millis, String what) {
    PendingReply<String> reply = new PendingReply<>();
    shard.run(
        TEXTS,
        (state, tx, to) ->
            tx.at(tx.nanos() + TimeUnit.MILLISECONDS.toNanos(millis), later -> order.add(what)),
        reply);
  }

  @Test
  void taskThatThrows_doesNotEndTheLoop() {
    List<String> done = new ArrayList<>();
    loop.execute(
        () -> {
          throw new IllegalStateException("on purpose");
        });
    loop.execute(() -> done.add("next"));
    loop.pass();
    assertEquals(List.of("next"), done);
  }
}
