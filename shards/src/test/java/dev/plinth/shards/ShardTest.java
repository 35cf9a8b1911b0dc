package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.request.RequestMemo;
import dev.plinth.shards.request.RequestMemory;
import dev.plinth.testkit.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One shard on a store whose commits the test holds, on a clock that it moves. */
class ShardTest {
  private static final TextApp TEXTS = new TextApp();

  private final ManualClock clock = new ManualClock();
  private final HeldStore store = new HeldStore();
  private final RequestMemory requests =
      new RequestMemory(Duration.ofMinutes(10), 1 << 20, 1 << 20, 1 << 16);
  private Shard shard;

  @BeforeEach
  void takeOver() {
    shard =
        new Shard(
            store,
            store.claim(0).orElseThrow(),
            Runnable::run,
            clock.nanos(),
            new RequestMemo(requests, clock.nanos()),
            new ShardMetrics(new SimpleMeterRegistry()));
    shard.takeOver(List.of(TEXTS), 0, RollbackDetector.inMemory(1));
    shard.start();
  }

  @Test
  void answer_leavesOnlyWhenItsCommitIsDurable() {
    CompletableFuture<String> put = run(TextApp.put("a", "1"));
    shard.flush();
    assertFalse(put.isDone());
    store.finishOne();
    assertEquals("", put.join());
    assertTrue(store.rows.containsKey("text/a"));
  }

  @Test
  void read_ofWhatIsNotDurableYet_waitsForIt() {
    run(TextApp.put("a", "1"));
    CompletableFuture<String> open = run(TextApp.get("a"));
    shard.flush();
    CompletableFuture<String> inFlight = run(TextApp.get("a"));
    assertFalse(open.isDone());
    assertFalse(inFlight.isDone());
    store.finishOne();
    assertEquals("1", open.join());
    assertEquals("1", inFlight.join());
  }

  @Test
  void read_withNothingOnTheWay_leavesAtOnce() {
    assertEquals("", run(TextApp.get("a")).join());
  }

  @Test
  void sendNow_doesNotWait() {
    run(TextApp.put("a", "1"));
    CompletableFuture<String> renewal = run((state, tx, reply) -> reply.sendNow("renewed"));
    assertEquals("renewed", renewal.join());
  }

  @Test
  void refusal_waitsForWhatItMayRestOn_andChangesNothing() {
    run(TextApp.put("a", "1"));
    CompletableFuture<String> refused =
        run(
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
    run(TextApp.put("a", "1"));
    shard.flush();
    assertEquals(1, store.underWay(), "alone it leaves at once");
    for (int i = 0; i < 10; i++) {
      run(TextApp.put("k" + i, "x"));
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
      run(TextApp.put("k" + i, "x"));
      shard.flush();
    }
    assertEquals(3, store.underWay());
    store.finishAll();
    assertEquals(List.of(1, 2, 2, 2, 2, 2), store.commitSizes);
  }

  @Test
  void keyWrittenTwiceInABatch_isOneWrite() {
    run(TextApp.put("a", "1"));
    run(TextApp.put("a", "2"));
    shard.flush();
    store.finishAll();
    assertEquals(List.of(1), store.commitSizes);
    assertEquals("2", run(TextApp.get("a")).join());
  }

  @Test
  void batch_isCutAtTheMostWrites_neverACommand() {
    store.maxWrites = 4;
    for (int i = 0; i < 3; i++) {
      int n = i;
      run(
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
  void deposed_everyCallerIsTold_andNothingMoreIsSent() {
    CompletableFuture<String> first = run(TextApp.put("a", "1"));
    shard.flush();
    CompletableFuture<String> second = run(TextApp.put("b", "2"));
    CompletableFuture<String> waiting = run((state, tx, reply) -> {});
    store.depose();
    for (CompletableFuture<String> call : List.of(first, second, waiting)) {
      assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(call));
    }
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(run(TextApp.get("a"))));
    shard.flush();
    assertEquals(0, store.underWay());
    assertTrue(shard.isDropped());
  }

  @Test
  void lostWithoutACommit_isNoticedByTheNextCommand() {
    CompletableFuture<String> waiting = run((state, tx, reply) -> {});
    store.lost = true;
    assertTrue(shard.isLost());
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(run(TextApp.get("a"))));
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(waiting));
  }

  @Test
  void batch_isCutByBytesToo() {
    for (int i = 0; i < 3; i++) {
      String key = "k" + i;
      run((state, tx, reply) -> tx.put("text/" + key, new byte[600 * 1024]));
    }
    shard.flush();
    store.finishAll();
    assertEquals(List.of(1, 1, 1), store.commitSizes);
  }

  @Test
  void unknownOutcome_isToldAsSuch() {
    CompletableFuture<String> put = run(TextApp.put("a", "1"));
    shard.flush();
    store.fail(Failure.StoreUnavailable.outcomeUnknown("test", "lost", null));
    assertEquals(ErrorReason.ERROR_REASON_OUTCOME_PENDING, reason(put));
    assertTrue(shard.isDropped());
  }

  @Test
  void withoutAuthority_nothingIsDecided() {
    store.authorityUntil = clock.nanos().getAsLong();
    assertEquals(ErrorReason.ERROR_REASON_NO_AUTHORITY, reason(run(TextApp.put("a", "1"))));
    assertEquals(ErrorReason.ERROR_REASON_NO_AUTHORITY, reason(run(TextApp.get("a"))));
    shard.flush();
    assertEquals(0, store.underWay());
    assertFalse(shard.isDropped(), "authority may come back");
    store.authorityUntil = Long.MAX_VALUE / 2;
    assertEquals("", run(TextApp.get("a")).join());
  }

  @Test
  void clockThatIsNotTrusted_isToldAsSuch() {
    store.authorityUntil = clock.nanos().getAsLong();
    store.clockTrusted = false;
    assertEquals(ErrorReason.ERROR_REASON_CLOCK_UNTRUSTED, reason(run(TextApp.get("a"))));
  }

  @Test
  void readOnlyStore_refusesMutations_andAnswersTheRest() {
    run(TextApp.put("a", "1"));
    shard.flush();
    store.finishOne();
    store.readOnly = Failure.StoreUnavailable.readOnly("test", "full");
    PendingReply<String> put = new PendingReply<>();
    shard.mutate(TEXTS, TextApp.put("a", "2"), put);
    assertEquals(ErrorReason.ERROR_REASON_STORE_READ_ONLY, reason(put.future()));
    CompletableFuture<String> once = runOnce("r1", "a=3", TextApp.put("a", "3"));
    assertEquals(ErrorReason.ERROR_REASON_STORE_READ_ONLY, reason(once));
    assertEquals("1", run(TextApp.get("a")).join());
    store.readOnly = null;
    CompletableFuture<String> again = runOnce("r1", "a=3", TextApp.put("a", "3"));
    shard.flush();
    store.finishOne();
    assertEquals("1", again.join(), "the refusal was not remembered");
  }

  @Test
  void readOnlyStore_holdsTimersBack_andLosesNone() {
    run((state, tx, reply) -> tx.at(tx.nanos() + 1_000, late -> late.put("text/a", new byte[0])));
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
  void commandThatFailsHalfWay_costsTheShardItsMemory_notItsRows() {
    run(TextApp.put("a", "1"));
    shard.flush();
    store.finishOne();
    CompletableFuture<String> broken =
        run(
            (state, tx, reply) -> {
              state.put("a", "half");
              tx.put("text/a", new byte[0]);
              throw new IllegalStateException("bug");
            });
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(broken));
    assertTrue(shard.isDropped());
    takeOver();
    assertEquals("1", run(TextApp.get("a")).join());
  }

  @Test
  void timer_runsInATransaction_notBeforeItsTime() {
    run(
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
        run(
            (state, tx, reply) -> {
              tokens.add(tx.token());
              tx.put("text/a", new byte[0]);
            });
      }
      shard.flush();
      store.finishAll();
      if (i == 1) {
        takeOver();
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
    run(take);
    shard.flush();
    store.finishOne();
    run(take);
    shard.flush();
    store.depose();
    takeOver();
    run(take);
    assertTrue(tokens.get(2) > tokens.get(0), "above every token that a caller was told");
  }

  @Test
  void requestSentAgain_getsItsFirstAnswer_andHasNoSecondEffect() {
    CompletableFuture<String> first = runOnce("r1", "a=1", TextApp.put("a", "1"));
    CompletableFuture<String> early = runOnce("r1", "a=1", TextApp.put("a", "1"));
    shard.flush();
    assertFalse(early.isDone(), "the first answer is not durable yet");
    store.finishAll();
    run(TextApp.put("a", "2"));
    CompletableFuture<String> late = runOnce("r1", "a=1", TextApp.put("a", "1"));
    shard.flush();
    store.finishAll();
    assertEquals("", first.join());
    assertEquals("", early.join());
    assertEquals("", late.join());
    assertEquals("2", run(TextApp.get("a")).join());
  }

  @Test
  void requestSentAgain_afterATakeover_getsItsFirstAnswer() {
    run(TextApp.put("a", "0"));
    runOnce("r1", "a=1", TextApp.put("a", "1"));
    shard.flush();
    store.finishAll();
    takeOver();
    CompletableFuture<String> again = runOnce("r1", "a=1", TextApp.put("a", "1"));
    assertEquals("0", again.join());
    shard.flush();
    assertEquals(0, store.underWay());
  }

  @Test
  void requestIdWithAnotherBody_isRefused() {
    runOnce("r1", "a=1", TextApp.put("a", "1"));
    CompletableFuture<String> reused = runOnce("r1", "a=2", TextApp.put("a", "2"));
    shard.flush();
    store.finishAll();
    assertEquals(ErrorReason.ERROR_REASON_REQUEST_ID_REUSED, reason(reused));
    assertEquals("1", run(TextApp.get("a")).join());
  }

  @Test
  void requestThatWasRefused_mayBeTriedAgain() {
    CompletableFuture<String> refused =
        runOnce(
            "r1",
            "x",
            (state, tx, reply) -> {
              throw Failure.Invalid.field("a", "b", "c");
            });
    assertEquals(ErrorReason.ERROR_REASON_FIELD_INVALID, reason(refused));
    CompletableFuture<String> again = runOnce("r1", "x", TextApp.put("a", "1"));
    shard.flush();
    store.finishAll();
    assertEquals("", again.join());
  }

  @Test
  void requestThatWaits_isJoinedByItsRepetition() {
    List<Reply<String>> waiting = new ArrayList<>();
    CompletableFuture<String> first = runOnce("r1", "x", (state, tx, reply) -> waiting.add(reply));
    CompletableFuture<String> again = runOnce("r1", "x", (state, tx, reply) -> waiting.add(reply));
    assertEquals(1, waiting.size());
    run((state, tx, reply) -> waiting.get(0).send(tx, "granted"));
    assertEquals("granted", first.join());
    assertEquals("granted", again.join());
  }

  @Test
  void watch_startsWithTheStateOfARevision_thenEveryEventAfterIt() {
    RecordedWatcher watcher = new RecordedWatcher();
    run(TextApp.put("a", "1"));
    shard.watch(TEXTS, OptionalLong.empty(), (state, nanos) -> new TreeMap<>(state), watcher);
    run(TextApp.put("b", "2"));
    shard.flush();
    assertEquals(List.of(), watcher.told, "the state it shows is not durable yet");
    store.finishAll();
    shard.flush();
    store.finishAll();
    assertEquals(List.of("snapshot@1 {a=1}", "events@2 [b=2]"), watcher.told);
  }

  @Test
  void stoppedShard_decidesNothingMore_byCommandOrByTime() {
    run(
        (state, tx, reply) -> {
          tx.at(tx.nanos() + 1_000_000, later -> later.put("text/late", new byte[0]));
          reply.send(tx, "");
        });
    CompletableFuture<String> decided = run(TextApp.put("a", "1"));
    shard.stop();
    clock.advance(Duration.ofSeconds(1));
    shard.timers().advance();
    assertEquals("none", effect(run(TextApp.put("b", "1"))));
    List<String> order = new ArrayList<>();
    shard.whenQuiet(() -> order.add("quiet"));
    shard.flush();
    store.finishAll();
    assertEquals("", decided.join());
    assertEquals(List.of("quiet"), order);
    shard.flush();
    assertEquals(0, store.underWay());
    assertEquals(List.of("text/a"), List.copyOf(store.rows.keySet()));
  }

  @Test
  void leave_tellsOneThatOnlyWaited_thatItHadNoEffect() {
    List<Reply<String>> line = new ArrayList<>();
    CompletableFuture<String> waiting = run((state, tx, reply) -> line.add(reply));
    CompletableFuture<String> wrote =
        run(
            (state, tx, reply) -> {
              tx.put("text/line", new byte[0]);
              line.add(reply);
            });
    shard.flush();
    store.finishAll();
    shard.stop();
    shard.leave();
    assertEquals("none", effect(waiting));
    assertEquals(null, effect(wrote), "what it wrote will be seen by the next owner");
  }

  @Test
  void drop_tellsOneWhoseOutcomeIsUnknown_nothingOfItsEffect() {
    List<Reply<String>> line = new ArrayList<>();
    CompletableFuture<String> granted = run((state, tx, reply) -> line.add(reply));
    CompletableFuture<String> waiting = run((state, tx, reply) -> line.add(reply));
    CompletableFuture<String> put =
        run(
            (state, tx, reply) -> {
              tx.put("text/a", new byte[0]);
              line.get(0).send(tx, "granted");
              reply.send(tx, "");
            });
    shard.flush();
    store.depose();
    assertEquals(null, effect(granted));
    assertEquals(null, effect(put));
    assertEquals("none", effect(waiting));
  }

  @Test
  void commandThatThrows_isNotSentElsewhere() {
    CompletableFuture<String> poison =
        run(
            (state, tx, reply) -> {
              throw new IllegalStateException("bug");
            });
    assertEquals(null, effect(poison));
    assertEquals("none", effect(run(TextApp.get("a"))), "one behind it never ran");
  }

  private static String effect(CompletableFuture<?> call) {
    assertTrue(call.isDone(), "it was refused");
    CompletionException thrown = assertThrows(CompletionException.class, call::join);
    return ((Failure) thrown.getCause()).metadata().get(ShardFailures.EFFECT);
  }

  @Test
  void drop_endsWatches() {
    RecordedWatcher watcher = new RecordedWatcher();
    shard.watch(TEXTS, OptionalLong.empty(), (state, nanos) -> new TreeMap<>(state), watcher);
    run(TextApp.put("a", "1"));
    shard.flush();
    store.depose();
    assertEquals(List.of("snapshot@0 {}", "end ERROR_REASON_SHARD_MOVED"), watcher.told);
  }

  @Test
  void whenQuiet_runsAfterAllThatWasDecided() {
    List<String> order = new ArrayList<>();
    run(TextApp.put("a", "1")).thenRun(() -> order.add("answer"));
    shard.whenQuiet(() -> order.add("quiet"));
    shard.flush();
    assertEquals(List.of(), order);
    store.finishAll();
    assertEquals(List.of("answer", "quiet"), order);
  }

  private CompletableFuture<String> run(Command<Map<String, String>, String> command) {
    PendingReply<String> reply = new PendingReply<>();
    shard.run(TEXTS, command, reply);
    return reply.future();
  }

  private CompletableFuture<String> runOnce(
      String id, String body, Command<Map<String, String>, String> command) {
    PendingReply<String> reply = new PendingReply<>();
    shard.runOnce(TEXTS, CommandPriority.NORMAL, TextApp.request(id, body), command, reply);
    return reply.future();
  }

  private static ErrorReason reason(CompletableFuture<?> call) {
    assertTrue(call.isDone(), "answered by now");
    CompletionException thrown = assertThrows(CompletionException.class, call::join);
    return ((Failure) thrown.getCause()).reason();
  }
}
