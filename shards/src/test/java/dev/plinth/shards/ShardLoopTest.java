package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Passes of a loop, one at a time, on a clock that the test moves. */
class ShardLoopTest {
  private static final TextApp TEXTS = new TextApp();

  private final ManualClock clock = new ManualClock();
  private final HeldStore store = new HeldStore();
  private final ShardLoop loop = new ShardLoop("test", ClockedMachine.of(clock));
  private final Shard shard = HeldShard.taken(clock, store, loop, TEXTS);
  private final ShardQueueLimit queue = new ShardQueueLimit(100);
  private final List<String> order = new ArrayList<>();

  @BeforeEach
  void add() {
    loop.add(shard);
  }

  @Test
  void urgentWork_goesFirst_thenTimers_thenTheRest() {
    at(10, "timer");
    clock.advance(Duration.ofMillis(10));
    submit(CommandPriority.NORMAL, shard, "normal");
    submit(CommandPriority.URGENT, shard, "urgent");
    loop.pass();
    assertEquals(List.of("urgent", "timer", "normal"), order);
  }

  @Test
  void urgentWorkWithoutEnd_keepsTimersAndCommandsFromNothing() {
    at(10, "timer");
    clock.advance(Duration.ofMillis(10));
    submit(CommandPriority.NORMAL, shard, "normal");
    renewForEver();
    assertTrue(loop.pass(), "there is more to do");
    assertEquals(List.of("timer", "normal"), order);
  }

  private void renewForEver() {
    submit(CommandPriority.URGENT, shard, to -> renewForEver());
  }

  @Test
  void afterAStall_timersWait_untilRenewalsHadTimeToArrive() {
    at(100, "expired");
    loop.pass();
    clock.advance(Duration.ofSeconds(10));
    loop.pass();
    assertEquals(List.of(), order, "late, but its renewal may be in a socket");
    submit(CommandPriority.URGENT, shard, "renewed");
    clock.advance(Duration.ofMillis(100));
    loop.pass();
    clock.advance(Duration.ofMillis(150));
    loop.pass();
    assertEquals(List.of("renewed", "expired"), order);
  }

  @Test
  void congestedShard_holdsNormalWorkBack_notUrgentWork() {
    congest();
    submit(CommandPriority.NORMAL, shard, "normal");
    submit(CommandPriority.URGENT, shard, "urgent");
    assertFalse(loop.pass(), "it may sleep until a commit ends");
    assertEquals(List.of("urgent"), order);
    relieve();
    assertEquals(List.of("urgent", "normal"), order);
  }

  @Test
  void congestedShard_holdsUpNoOther_andKeepsTheOrderOfItsOwn() {
    Shard other = HeldShard.taken(clock, new HeldStore(), loop, TEXTS);
    loop.add(other);
    congest();
    submit(CommandPriority.NORMAL, shard, "first");
    submit(CommandPriority.NORMAL, other, "other");
    submit(CommandPriority.NORMAL, shard, "second");
    loop.pass();
    assertEquals(List.of("other"), order);
    submit(CommandPriority.NORMAL, shard, "third");
    relieve();
    assertEquals(List.of("other", "first", "second", "third"), order);
  }

  @Test
  void whatACongestedShardHeldBack_isRefused_whenItLeaves() {
    congest();
    PendingReply<String> reply = new PendingReply<>();
    submit(CommandPriority.NORMAL, shard, to -> to.run(TEXTS, TextApp.get("a"), reply));
    loop.pass();
    assertFalse(reply.future().isDone());
    shard.leave();
    loop.remove(shard);
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, HeldShard.failure(reply.future()).reason());
    assertEquals(0, queue.waiting());
  }

  /** More commits than may be under way at once. */
  private void congest() {
    store.maxWrites = 1;
    for (int i = 0; i < 6; i++) {
      shard.run(TEXTS, TextApp.put("k" + i, "x"), new PendingReply<>());
    }
    loop.pass();
  }

  private void relieve() {
    for (int i = 0; i < 3; i++) {
      store.finishAll();
      loop.pass();
    }
  }

  private void submit(CommandPriority commandPriority, Shard to, String what) {
    submit(commandPriority, to, at -> order.add(what));
  }

  private void submit(CommandPriority commandPriority, Shard to, Consumer<Shard> work) {
    queue.enter(commandPriority);
    loop.submit(commandPriority, new ShardTask(to, queue, work));
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

  @Test
  void errorInACommand_dropsItsShard_andTheLoopGoesOn() {
    PendingReply<String> waiting = new PendingReply<>();
    PendingReply<String> deep = new PendingReply<>();
    submit(CommandPriority.NORMAL, shard, to -> to.run(TEXTS, (state, tx, reply) -> {}, waiting));
    submit(
        CommandPriority.NORMAL,
        shard,
        to ->
            to.run(
                TEXTS,
                (state, tx, reply) -> {
                  throw new StackOverflowError("on purpose");
                },
                deep));
    Shard other = HeldShard.taken(clock, new HeldStore(), loop, TEXTS);
    loop.add(other);
    submit(CommandPriority.NORMAL, other, "other");
    loop.pass();
    assertTrue(shard.isDropped());
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, HeldShard.failure(deep.future()).reason());
    assertEquals(
        ErrorReason.ERROR_REASON_SHARD_MOVED, HeldShard.failure(waiting.future()).reason());
    assertEquals(List.of("other"), order);
  }

  @Test
  void errorOutsideACommand_dropsTheShardToo() {
    submit(
        CommandPriority.URGENT,
        shard,
        to -> {
          throw new AssertionError("on purpose");
        });
    loop.execute(
        () -> {
          throw new AssertionError("of no shard");
        });
    loop.pass();
    assertTrue(shard.isDropped());
  }
}
