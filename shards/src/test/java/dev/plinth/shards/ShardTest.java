package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** One shard on a store whose commits the test holds, on a clock that it moves. */
class ShardTest {
  private HeldShard here = new HeldShard();
  private final HeldStore store = here.store;
  private final ManualClock clock = here.clock;
  private Shard shard = here.shard;

  @Test
  void answer_leavesOnlyWhenItsCommitIsDurable() {
    CompletableFuture<String> put = here.run(TextApp.put("a", "1"));
    shard.flush();
    assertFalse(put.isDone());
    store.finishOne();
    assertEquals("", put.join());
    assertTrue(store.rows.containsKey("text/a"));
  }

  @Test
  void read_ofWhatIsNotDurableYet_waitsForIt() {
    here.run(TextApp.put("a", "1"));
    CompletableFuture<String> open = here.run(TextApp.get("a"));
    shard.flush();
    CompletableFuture<String> inFlight = here.run(TextApp.get("a"));
    assertFalse(open.isDone());
    assertFalse(inFlight.isDone());
    store.finishOne();
    assertEquals("1", open.join());
    assertEquals("1", inFlight.join());
  }

  @Test
  void read_withNothingOnTheWay_leavesAtOnce() {
    assertEquals("", here.run(TextApp.get("a")).join());
  }

  @Test
  void sendNow_doesNotWait() {
    here.run(TextApp.put("a", "1"));
    CompletableFuture<String> renewal = here.run((state, tx, reply) -> reply.sendNow("renewed"));
    assertEquals("renewed", renewal.join());
  }

  @Test
  void refusal_waitsForWhatItMayRestOn_andChangesNothing() {
    here.run(TextApp.put("a", "1"));
    CompletableFuture<String> refused =
        here.run(
            (state, tx, reply) -> {
              throw Failure.Invalid.field("key", state.get("a"), "another");
            });
    assertFalse(refused.isDone());
    shard.flush();
    store.finishOne();
    assertEquals(ErrorReason.ERROR_REASON_FIELD_INVALID, reason(refused));
    assertFalse(shard.isDropped());
  }

  @Test
  void commandsThatQueue_shareACommit_aLoneOneDoesNotWait() {
    here.run(TextApp.put("a", "1"));
    shard.flush();
    assertEquals(1, store.underWay(), "alone it leaves at once");
    for (int i = 0; i < 10; i++) {
      here.run(TextApp.put("k" + i, "x"));
      shard.flush();
    }
    assertEquals(1, store.underWay(), "the rest gathers meanwhile");
    store.finishAll();
    assertEquals(List.of(1, 10), store.commitSizes);
  }

  @Test
  void fullBatches_leaveBesideTheOneUnderWay_aFewAtOnce() {
    store.maxWrites = 2;
    for (int i = 0; i < 11; i++) {
      here.run(TextApp.put("k" + i, "x"));
      shard.flush();
    }
    assertEquals(3, store.underWay());
    store.finishAll();
    assertEquals(List.of(1, 2, 2, 2, 2, 2), store.commitSizes);
  }

  @Test
  void keyWrittenTwiceInABatch_isOneWrite() {
    here.run(TextApp.put("a", "1"));
    here.run(TextApp.put("a", "2"));
    shard.flush();
    store.finishAll();
    assertEquals(List.of(1), store.commitSizes);
    assertEquals("2", here.run(TextApp.get("a")).join());
  }

  @Test
  void batch_isCutAtTheMostWrites_neverACommand() {
    store.maxWrites = 4;
    for (int i = 0; i < 3; i++) {
      int n = i;
      here.run(
          (state, tx, reply) -> {
            tx.put("text/x" + n, new byte[0]);
            tx.put("text/y" + n, new byte[0]);
            tx.put("text/z" + n, new byte[0]);
            reply.send(tx, "");
          });
    }
    shard.flush();
    store.finishAll();
    assertEquals(List.of(3, 3, 3), store.commitSizes);
  }

  @Test
  void batch_isCutByBytesToo() {
    for (int i = 0; i < 3; i++) {
      String key = "k" + i;
      here.run((state, tx, reply) -> tx.put("text/" + key, new byte[600 * 1024]));
    }
    shard.flush();
    store.finishAll();
    assertEquals(List.of(1, 1, 1), store.commitSizes);
  }

  @Test
  void withoutAuthority_nothingIsDecided() {
    store.authorityUntil = clock.nanos().getAsLong();
    assertEquals(ErrorReason.ERROR_REASON_NO_AUTHORITY, reason(here.run(TextApp.put("a", "1"))));
    assertEquals(ErrorReason.ERROR_REASON_NO_AUTHORITY, reason(here.run(TextApp.get("a"))));
    shard.flush();
    assertEquals(0, store.underWay());
    assertFalse(shard.isDropped(), "authority may come back");
    store.authorityUntil = Long.MAX_VALUE / 2;
    assertEquals("", here.run(TextApp.get("a")).join());
  }

  @Test
  void clockThatIsNotTrusted_isToldAsSuch() {
    store.authorityUntil = clock.nanos().getAsLong();
    store.clockTrusted = false;
    assertEquals(ErrorReason.ERROR_REASON_CLOCK_UNTRUSTED, reason(here.run(TextApp.get("a"))));
  }

  @Test
  void readOnlyStore_refusesMutations_andAnswersTheRest() {
    here.run(TextApp.put("a", "1"));
    shard.flush();
    store.finishOne();
    store.readOnly = Failure.StoreUnavailable.readOnly("test", "full");
    PendingReply<String> put = new PendingReply<>();
    shard.mutate(HeldShard.TEXTS, TextApp.put("a", "2"), put);
    assertEquals(ErrorReason.ERROR_REASON_STORE_READ_ONLY, reason(put.future()));
    CompletableFuture<String> once = here.runOnce("r1", "a=3", TextApp.put("a", "3"));
    assertEquals(ErrorReason.ERROR_REASON_STORE_READ_ONLY, reason(once));
    assertEquals("1", here.run(TextApp.get("a")).join());
    store.readOnly = null;
    CompletableFuture<String> again = here.runOnce("r1", "a=3", TextApp.put("a", "3"));
    shard.flush();
    store.finishOne();
    assertEquals("1", again.join(), "the refusal was not remembered");
  }

  @Test
  void readOnlyStore_holdsTimersBack_andLosesNone() {
    here.run(
        (state, tx, reply) -> tx.at(tx.nanos() + 1_000, late -> late.put("text/a", new byte[0])));
    store.readOnly = Failure.StoreUnavailable.readOnly("test", "full");
    clock.advance(Duration.ofSeconds(1));
    shard.timers().advance();
    shard.flush();
    assertEquals(0, store.underWay());
    assertEquals(Long.MAX_VALUE, shard.timers().next(), "the loop need not wake for it");
    store.readOnly = null;
    shard.timers().advance();
    shard.flush();
    assertEquals(1, store.underWay());
  }

  @Test
  void readOnlyStore_holdsNoTimerBack_thatOnlyTells() {
    CompletableFuture<String> told =
        here.run(
            (state, tx, reply) ->
                tx.tellAt(tx.nanos() + 1_000_000, later -> reply.send(later, "told")));
    store.readOnly = Failure.StoreUnavailable.readOnly("test", "full");
    shard.timers().advance();
    assertFalse(told.isDone(), "not before its time");
    assertTrue(shard.timers().next() < Long.MAX_VALUE, "the loop wakes for it");
    clock.advance(Duration.ofMillis(2));
    shard.timers().advance();
    assertEquals("told", told.join());
  }

  @Test
  void timerThatOnlyTells_andWrites_isABugThatCostsTheShard() {
    here.run(
        (state, tx, reply) -> tx.tellAt(tx.nanos(), later -> later.put("text/a", new byte[0])));
    clock.advance(Duration.ofMillis(2));
    shard.timers().advance();
    assertTrue(shard.isDropped());
    shard.flush();
    assertEquals(0, store.underWay());
  }

  @Test
  void stoppedShard_tellsNothingMore() {
    CompletableFuture<String> told =
        here.run((state, tx, reply) -> tx.tellAt(tx.nanos(), later -> reply.send(later, "told")));
    shard.stop();
    clock.advance(Duration.ofMillis(2));
    shard.timers().advance();
    assertFalse(told.isDone());
  }

  @Test
  void timer_runsInATransaction_notBeforeItsTime() {
    here.run(
        (state, tx, reply) ->
            tx.at(
                tx.nanos() + 5_000_000,
                later -> {
                  later.put("text/t", new byte[0]);
                  reply.send(later, "fired");
                }));
    clock.advance(Duration.ofMillis(4));
    shard.timers().advance();
    shard.flush();
    assertEquals(0, store.underWay());
    clock.advance(Duration.ofMillis(1));
    shard.timers().advance();
    shard.flush();
    store.finishOne();
    assertTrue(store.rows.containsKey("text/t"));
  }

  @Test
  void tokens_riseOverBatchesAndTakeovers() {
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 3; j++) {
        here.run(
            (state, tx, reply) -> {
              tokens.add(tx.token());
              tx.put("text/a", new byte[0]);
            });
      }
      shard.flush();
      store.finishAll();
      if (i == 1) {
        here = here.next();
        shard = here.shard;
      }
    }
    assertEquals(12, tokens.stream().distinct().count());
    assertEquals(tokens.stream().sorted().toList(), tokens);
  }

  @Test
  void tokenOfALostCommit_isNeverBelowTheNextOwners() {
    List<Long> tokens = new ArrayList<>();
    Command<Map<String, String>, String> take =
        (state, tx, reply) -> {
          tokens.add(tx.token());
          tx.put("text/a", new byte[0]);
          reply.send(tx, "");
        };
    here.run(take);
    shard.flush();
    store.finishOne();
    here.run(take);
    shard.flush();
    store.depose();
    here = here.next();
    shard = here.shard;
    here.run(take);
    assertTrue(tokens.get(2) > tokens.get(0), "above every token that a caller was told");
  }

  @Test
  void watch_startsWithTheStateOfARevision_thenEveryEventAfterIt() {
    RecordedWatcher watcher = new RecordedWatcher();
    here.run(TextApp.put("a", "1"));
    shard.watch(
        HeldShard.TEXTS, OptionalLong.empty(), (state, nanos) -> new TreeMap<>(state), watcher);
    here.run(TextApp.put("b", "2"));
    shard.flush();
    assertEquals(List.of(), watcher.told, "the state it shows is not durable yet");
    store.finishAll();
    shard.flush();
    store.finishAll();
    assertEquals(List.of("snapshot@1 {a=1}", "events@2 [b=2]"), watcher.told);
  }

  private static ErrorReason reason(CompletableFuture<?> call) {
    assertTrue(call.isDone(), "answered by now");
    CompletionException thrown = assertThrows(CompletionException.class, call::join);
    return ((Failure) thrown.getCause()).reason();
  }
}
