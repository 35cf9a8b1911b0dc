package dev.plinth.shards;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.request.RequestMemo;
import dev.plinth.shards.request.RequestMemory;
import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one shard remembers of requests, for how long, in how many rows and bytes. */
class RequestMemoTest {
  private static final TextApp TEXTS = new TextApp();
  private static final Duration RETENTION = Duration.ofMinutes(10);
  private static final int NO_EFFECT_BYTES = 256 * 1024;

  private final ManualClock clock = new ManualClock();
  private final HeldStore store = new HeldStore();
  private RequestMemory memory = new RequestMemory(RETENTION, 64 << 20, 64 << 20, NO_EFFECT_BYTES);
  private Shard shard;

  @BeforeEach
  void takeOver() {
    shard =
        new Shard(
            store,
            store.claim(0).orElseThrow(),
            Runnable::run,
            ClockedMachine.of(clock),
            new RequestMemo(memory, ClockedMachine.of(clock)),
            new ShardMetrics(new SimpleMeterRegistry(), clock.nanos()));
    shard.takeOver(List.of(TEXTS), 0, RollbackDetector.inMemory(1));
    shard.timers().start();
  }

  @Test
  void answersOfOneCommit_areOneRow() {
    for (int i = 0; i < 50; i++) {
      once("r" + i, TextApp.put("k" + i, "x"));
    }
    commit();
    assertEquals(List.of(51), store.commitSizes);
    assertEquals(1, rows());
  }

  @Test
  void smallCommits_shareRows() {
    for (int i = 0; i < 200; i++) {
      once("r" + i, TextApp.put("a", "" + i));
      commit();
    }
    assertTrue(rows() < 20, rows() + " rows");
    takeOver();
    for (int i = 0; i < 200; i++) {
      assertEquals(i == 0 ? "" : "" + (i - 1), once("r" + i, TextApp.put("a", "")).join());
    }
    assertNothingToCommit();
  }

  @Test
  void answer_isKnownForTheRetention_whateverTheRate() {
    once("first", TextApp.put("a", "1"));
    commit();
    for (int i = 0; i < 40_000; i++) {
      once("r" + i, TextApp.put("b", "x"));
      if (i % 100 == 0) {
        commit();
      }
    }
    commit();
    clock.advance(RETENTION);
    shard.timers().advance();
    assertEquals("", once("first", TextApp.put("a", "2")).join());
    assertNothingToCommit();
    clock.advance(Duration.ofMillis(2));
    CompletableFuture<String> later = once("first", TextApp.put("a", "2"));
    commit();
    assertEquals("1", later.join(), "its time is over");
  }

  @Test
  void refusals_doNotPushOutEffects_andStayWithinTheirBytes() {
    once("first", TextApp.put("a", "1"));
    commit();
    String holders = "h".repeat(13_500);
    for (int i = 0; i < 16_384; i++) {
      once("held" + i, (state, tx, reply) -> reply.send(tx, holders));
    }
    long used = memory.bytes();
    assertTrue(used < 4096, used + " bytes");
    assertEquals(holders, once("held16383", TextApp.put("a", "2")).join(), "a late duplicate");
    assertEquals("", once("first", TextApp.put("a", "3")).join());
    assertNothingToCommit();
  }

  @Test
  void callsThatWaitForOneAnswer_areBounded_andThoseThatAreGoneDoNotCount() {
    Command<Map<String, String>, String> waits = (state, tx, reply) -> {};
    once("same", waits);
    for (int i = 0; i < 1000; i++) {
      once("same", waits).cancel(false);
    }
    List<CompletableFuture<String>> joined = new ArrayList<>();
    for (int i = 0; i < 101; i++) {
      joined.add(once("same", waits));
    }
    assertEquals(ErrorReason.ERROR_REASON_OVERLOADED, reason(joined.get(100)));
    assertFalse(joined.get(99).isDone());
  }

  @Test
  void fullMemory_refusesNewRequests_andTakesThemWhenOthersHaveHadTheirTime() {
    memory = new RequestMemory(RETENTION, 1 << 20, 1 << 20, NO_EFFECT_BYTES);
    takeOver();
    int taken = 0;
    CompletableFuture<String> last = once("r0", TextApp.put("a", "0"));
    while (!last.isCompletedExceptionally()) {
      taken++;
      last = once("r" + taken, TextApp.put("a", "" + taken));
      commit();
    }
    assertEquals(ErrorReason.ERROR_REASON_REQUEST_MEMORY_FULL, reason(last));
    Failure.Exhausted full = (Failure.Exhausted) cause(last);
    assertTrue(full.retryAfter().toMillis() > 0);
    assertEquals(1, memory.refused());
    assertTrue(memory.bytes() <= 1 << 20, memory.bytes() + " bytes");
    assertTrue(taken > 5_000, taken + " answers in 1 MiB");
    assertEquals("", once("r0", TextApp.put("a", "x")).join(), "none was forgotten");
    assertEquals("" + (taken - 1), run(TextApp.get("a")).join(), "nor had the refused an effect");
    CompletableFuture<String> urgent =
        once(CommandPriority.URGENT, "release", TextApp.put("b", "1"));
    CompletableFuture<String> unnamed = run(TextApp.put("c", "1"));
    commit();
    assertEquals("", urgent.join());
    assertEquals("", unnamed.join());
    clock.advance(RETENTION.plusMillis(2));
    CompletableFuture<String> again = once("r" + taken, TextApp.put("a", "again"));
    commit();
    assertEquals("" + (taken - 1), again.join());
    assertTrue(memory.answers() <= 2, memory.answers() + " answers");
  }

  @Test
  void shardThatUsedItsShare_isRefused_andLeavesRoomForOthers() {
    memory = new RequestMemory(RETENTION, 1 << 20, 1 << 19, NO_EFFECT_BYTES);
    takeOver();
    CompletableFuture<String> last = once("r0", TextApp.put("a", "0"));
    for (int i = 1; !last.isCompletedExceptionally(); i++) {
      last = once("r" + i, TextApp.put("a", "" + i));
      commit();
    }
    assertEquals(ErrorReason.ERROR_REASON_REQUEST_MEMORY_FULL, reason(last));
    assertTrue(cause(last).getMessage().contains("524288"), cause(last).getMessage());
    assertTrue(memory.bytes() <= 1 << 19, memory.bytes() + " bytes");
    CompletableFuture<String> urgent =
        once(CommandPriority.URGENT, "release", TextApp.put("b", "1"));
    commit();
    assertEquals("", urgent.join());
    assertTrue(memory.hasRoom(CommandPriority.NORMAL, 0));
  }

  @Test
  void rowsWhoseTimeIsOver_areTakenAgain_andThoseTooManyDeleted() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 500; i++) {
        once(round + "." + i, TextApp.put("a", "x".repeat(3000)));
        commit();
      }
      assertTrue(rows() <= 501, rows() + " rows");
      clock.advance(RETENTION.plusSeconds(1));
      if (round < 2) {
        once("turn" + round, TextApp.put("b", "x"));
        commit();
      }
    }
    for (int i = 0; i < 50; i++) {
      clock.advance(Duration.ofSeconds(1));
      shard.timers().advance();
      commit();
    }
    assertTrue(rows() <= 70, rows() + " rows");
    assertEquals(0, memory.answers());
    assertEquals(0, memory.bytes());
    assertEquals(Long.MAX_VALUE, shard.timers().next(), "nothing is left to do");
  }

  @Test
  void takeover_keepsAnswersForTheRestOfTheirTime_neverLess() {
    once("old", TextApp.put("a", "1"));
    commit();
    clock.advance(Duration.ofMinutes(6));
    once("young", TextApp.put("b", "1"));
    commit();
    shard.drop(ShardFailures.moved(0));
    assertEquals(0, memory.bytes(), "a shard that is gone uses nothing");
    clock.advance(Duration.ofHours(1));
    takeOver();
    clock.advance(Duration.ofMinutes(4));
    assertEquals("", once("old", TextApp.put("a", "2")).join());
    assertNothingToCommit();
    clock.advance(Duration.ofMillis(2));
    CompletableFuture<String> again = once("old", TextApp.put("a", "2"));
    commit();
    assertEquals("1", again.join());
    clock.advance(Duration.ofMinutes(5));
    assertEquals("", once("young", TextApp.put("b", "2")).join());
  }

  @Test
  void rowsOfTheFormerFormat_areRead_andDeletedWhenTheirTimeIsOver() {
    for (int i = 0; i < 100; i++) {
      store.rows.put("requests/000" + (i + 10), formerRow(i, "r" + i, "x", "answer" + i));
    }
    takeOver();
    clock.advance(RETENTION);
    for (int i = 0; i < 100; i++) {
      assertEquals("answer" + i, once("r" + i, TextApp.put("a", "1")).join());
    }
    once("new", TextApp.put("a", "1"));
    commit();
    assertEquals(101, rows());
    for (int i = 0; i < 10; i++) {
      clock.advance(Duration.ofSeconds(1));
      shard.timers().advance();
      commit();
    }
    assertEquals(1, rows());
  }

  @Test
  void answerTooLargeToBeKept_costsNoShard_andIsNotRepeated() {
    String large = "x".repeat(2 << 20);
    Command<Map<String, String>, String> list =
        (state, tx, reply) -> {
          tx.put("text/a", new byte[1]);
          reply.send(tx, large);
        };
    CompletableFuture<String> first = once("r1", list);
    commit();
    assertEquals(large, first.join());
    store.rows.values().forEach(row -> assertTrue(row.length < 4096));
    for (int i = 0; i < 2; i++) {
      assertEquals(ErrorReason.ERROR_REASON_ANSWER_NOT_KEPT, reason(once("r1", list)));
      assertNothingToCommit();
      takeOver();
    }
    assertFalse(shard.isDropped());
  }

  @Test
  void answerThatCannotBeRead_isAReusedId_notTheEndOfTheShard() {
    once("r1", TextApp.put("a", "1"));
    commit();
    IdempotentRequest<String> other =
        new IdempotentRequest<>(
            RequestId.of("r1"),
            "x".hashCode(),
            s -> s.getBytes(UTF_8),
            bytes -> {
              throw new IllegalStateException("another message");
            });
    PendingReply<String> reply = new PendingReply<>();
    shard.runOnce(TEXTS, CommandPriority.NORMAL, other, TextApp.put("a", "2"), reply);
    assertEquals(ErrorReason.ERROR_REASON_REQUEST_ID_REUSED, reason(reply.future()));
    assertFalse(shard.isDropped());
  }

  @Test
  void answerWithoutAnEffect_onceSettled_isKnownToTheNextOwner() {
    assertEquals("", once("r1", TextApp.get("a")).join());
    PendingReply<String> cancel = new PendingReply<>();
    shard.runOnce(
        TEXTS,
        CommandPriority.NORMAL,
        TextApp.request("r1", "x").settling(),
        TextApp.put("a", "0"),
        cancel);
    assertFalse(cancel.future().isDone(), "not before it is durable");
    commit();
    assertEquals("", cancel.future().join());
    takeOver();
    assertEquals("", once("r1", TextApp.put("a", "1")).join());
    assertNothingToCommit();
  }

  @Test
  void effectBeforeTheAnswer_isRememberedWithIt() {
    CompletableFuture<String> first =
        once(
            "r1",
            (state, tx, reply) -> {
              tx.put("text/a", new byte[0]);
              tx.at(tx.nanos() + 1_000_000, later -> reply.send(later, "done"));
            });
    commit();
    clock.advance(Duration.ofMillis(1));
    shard.timers().advance();
    commit();
    assertEquals("done", first.join());
    takeOver();
    assertEquals("done", once("r1", TextApp.put("a", "2")).join());
  }

  @Test
  void effectThatNoRowShows_isRememberedWithACommit_andAnsweredAfterIt() {
    CompletableFuture<String> now = once("r1", (state, tx, reply) -> reply.sendNow("7"));
    CompletableFuture<String> later =
        once(
            "r2",
            (state, tx, reply) -> {
              reply.hadEffect();
              reply.send(tx, "8");
            });
    shard.flush();
    assertFalse(now.isDone(), "a crash now would give the same request another answer");
    assertFalse(later.isDone());
    commit();
    assertEquals(List.of(1), store.commitSizes);
    assertEquals("7", now.join());
    takeOver();
    assertEquals("7", once("r1", (state, tx, reply) -> reply.sendNow("9")).join());
    assertEquals("8", once("r2", (state, tx, reply) -> reply.sendNow("9")).join());
  }

  /** As the previous version wrote it: a row for each answer. */
  private static byte[] formerRow(long number, String id, String body, String answer) {
    byte[] name = id.getBytes(UTF_8);
    byte[] text = answer.getBytes(UTF_8);
    return ByteBuffer.allocate(1 + 8 + 8 + 2 + name.length + text.length)
        .put((byte) 1)
        .putLong(number)
        .putLong(body.hashCode())
        .putShort((short) name.length)
        .put(name)
        .put(text)
        .array();
  }

  private long rows() {
    return store.rows.keySet().stream().filter(key -> key.startsWith("requests/")).count();
  }

  private void commit() {
    shard.flush();
    while (store.underWay() > 0) {
      store.finishAll();
      shard.flush();
    }
  }

  private void assertNothingToCommit() {
    shard.flush();
    assertEquals(0, store.underWay());
  }

  private CompletableFuture<String> run(Command<Map<String, String>, String> command) {
    PendingReply<String> reply = new PendingReply<>();
    shard.run(TEXTS, command, reply);
    return reply.future();
  }

  private CompletableFuture<String> once(String id, Command<Map<String, String>, String> command) {
    return once(CommandPriority.NORMAL, id, command);
  }

  private CompletableFuture<String> once(
      CommandPriority commandPriority, String id, Command<Map<String, String>, String> command) {
    PendingReply<String> reply = new PendingReply<>();
    shard.runOnce(TEXTS, commandPriority, TextApp.request(id, "x"), command, reply);
    return reply.future();
  }

  private static ErrorReason reason(CompletableFuture<?> call) {
    return cause(call).reason();
  }

  private static Failure cause(CompletableFuture<?> call) {
    assertTrue(call.isDone(), "answered by now");
    return (Failure) assertThrows(CompletionException.class, call::join).getCause();
  }
}
