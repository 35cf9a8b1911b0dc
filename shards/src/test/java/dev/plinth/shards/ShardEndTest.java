package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** How a shard leaves this node, and what its callers are told. */
class ShardEndTest {
  private HeldShard here = new HeldShard();
  private final HeldStore store = here.store;
  private final ManualClock clock = here.clock;
  private Shard shard = here.shard;

  @Test
  void deposed_everyCallerIsTold_andNothingMoreIsSent() {
    CompletableFuture<String> first = here.run(TextApp.put("a", "1"));
    shard.flush();
    CompletableFuture<String> second = here.run(TextApp.put("b", "2"));
    CompletableFuture<String> waiting = here.run((state, tx, reply) -> {});
    store.depose();
    for (CompletableFuture<String> call : List.of(first, second, waiting)) {
      assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(call));
    }
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(here.run(TextApp.get("a"))));
    shard.flush();
    assertEquals(0, store.underWay());
    assertTrue(shard.isDropped());
  }

  @Test
  void lostWithoutACommit_isNoticedByTheNextCommand() {
    CompletableFuture<String> waiting = here.run((state, tx, reply) -> {});
    store.lost = true;
    assertTrue(shard.isLost());
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(here.run(TextApp.get("a"))));
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(waiting));
  }

  @Test
  void unknownOutcome_isToldAsSuch() {
    CompletableFuture<String> put = here.run(TextApp.put("a", "1"));
    shard.flush();
    store.fail(Failure.StoreUnavailable.outcomeUnknown("test", "lost", null));
    assertEquals(ErrorReason.ERROR_REASON_OUTCOME_PENDING, reason(put));
    assertTrue(shard.isDropped());
  }

  @Test
  void commandThatFailsHalfWay_costsTheShardItsMemory_notItsRows() {
    here.run(TextApp.put("a", "1"));
    shard.flush();
    store.finishOne();
    CompletableFuture<String> broken =
        here.run(
            (state, tx, reply) -> {
              state.put("a", "half");
              tx.put("text/a", new byte[0]);
              throw new IllegalStateException("bug");
            });
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(broken));
    assertTrue(shard.isDropped());
    here = here.next();
    shard = here.shard;
    assertEquals("1", here.run(TextApp.get("a")).join());
  }

  @Test
  void stoppedShard_decidesNothingMore_byCommandOrByTime() {
    here.run(
        (state, tx, reply) -> {
          tx.at(tx.nanos() + 1_000_000, later -> later.put("text/late", new byte[0]));
          reply.send(tx, "");
        });
    CompletableFuture<String> decided = here.run(TextApp.put("a", "1"));
    shard.stop();
    clock.advance(Duration.ofSeconds(1));
    shard.timers().advance();
    assertEquals("none", effect(here.run(TextApp.put("b", "1"))));
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
    CompletableFuture<String> waiting = here.run((state, tx, reply) -> line.add(reply));
    CompletableFuture<String> wrote =
        here.run(
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
    CompletableFuture<String> granted = here.run((state, tx, reply) -> line.add(reply));
    CompletableFuture<String> waiting = here.run((state, tx, reply) -> line.add(reply));
    CompletableFuture<String> put =
        here.run(
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
        here.run(
            (state, tx, reply) -> {
              throw new IllegalStateException("bug");
            });
    assertEquals(null, effect(poison));
    assertEquals("none", effect(here.run(TextApp.get("a"))), "one behind it never ran");
  }

  @Test
  void drop_endsWatches() {
    RecordedWatcher watcher = new RecordedWatcher();
    shard.watch(
        HeldShard.TEXTS, OptionalLong.empty(), (state, nanos) -> new TreeMap<>(state), watcher);
    here.run(TextApp.put("a", "1"));
    shard.flush();
    store.depose();
    assertEquals(List.of("snapshot@0 {}", "end ERROR_REASON_SHARD_MOVED"), watcher.told);
  }

  @Test
  void whenQuiet_runsAfterAllThatWasDecided() {
    List<String> order = new ArrayList<>();
    here.run(TextApp.put("a", "1")).thenRun(() -> order.add("answer"));
    shard.whenQuiet(() -> order.add("quiet"));
    shard.flush();
    assertEquals(List.of(), order);
    store.finishAll();
    assertEquals(List.of("answer", "quiet"), order);
  }

  private static String effect(CompletableFuture<?> call) {
    assertTrue(call.isDone(), "it was refused");
    CompletionException thrown = assertThrows(CompletionException.class, call::join);
    return ((Failure) thrown.getCause()).metadata().get(ShardFailures.EFFECT);
  }

  private static ErrorReason reason(CompletableFuture<?> call) {
    assertTrue(call.isDone(), "answered by now");
    CompletionException thrown = assertThrows(CompletionException.class, call::join);
    return ((Failure) thrown.getCause()).reason();
  }
}
