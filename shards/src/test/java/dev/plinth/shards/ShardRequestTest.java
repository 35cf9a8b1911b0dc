package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Requests with an id, on a shard whose commits the test holds. */
class ShardRequestTest {
  private HeldShard here = new HeldShard();

  @Test
  void requestSentAgain_getsItsFirstAnswer_andHasNoSecondEffect() {
    CompletableFuture<String> first = here.runOnce("r1", "a=1", TextApp.put("a", "1"));
    CompletableFuture<String> early = here.runOnce("r1", "a=1", TextApp.put("a", "1"));
    here.shard.flush();
    assertFalse(early.isDone(), "the first answer is not durable yet");
    here.store.finishAll();
    here.run(TextApp.put("a", "2"));
    CompletableFuture<String> late = here.runOnce("r1", "a=1", TextApp.put("a", "1"));
    here.shard.flush();
    here.store.finishAll();
    assertEquals("", first.join());
    assertEquals("", early.join());
    assertEquals("", late.join());
    assertEquals("2", here.run(TextApp.get("a")).join());
  }

  @Test
  void requestSentAgain_afterATakeover_getsItsFirstAnswer() {
    here.run(TextApp.put("a", "0"));
    here.runOnce("r1", "a=1", TextApp.put("a", "1"));
    here.shard.flush();
    here.store.finishAll();
    here = here.next();
    CompletableFuture<String> again = here.runOnce("r1", "a=1", TextApp.put("a", "1"));
    assertEquals("0", again.join());
    here.shard.flush();
    assertEquals(0, here.store.underWay());
  }

  @Test
  void requestIdWithAnotherBody_isRefused() {
    here.runOnce("r1", "a=1", TextApp.put("a", "1"));
    CompletableFuture<String> reused = here.runOnce("r1", "a=2", TextApp.put("a", "2"));
    here.shard.flush();
    here.store.finishAll();
    assertEquals(ErrorReason.ERROR_REASON_REQUEST_ID_REUSED, reason(reused));
    assertEquals("1", here.run(TextApp.get("a")).join());
  }

  @Test
  void requestThatWasRefused_mayBeTriedAgain() {
    CompletableFuture<String> refused =
        here.runOnce(
            "r1",
            "x",
            (state, tx, reply) -> {
              throw Failure.Invalid.field("a", "b", "c");
            });
    assertEquals(ErrorReason.ERROR_REASON_FIELD_INVALID, reason(refused));
    CompletableFuture<String> again = here.runOnce("r1", "x", TextApp.put("a", "1"));
    here.shard.flush();
    here.store.finishAll();
    assertEquals("", again.join());
  }

  @Test
  void requestThatWaits_isJoinedByItsRepetition() {
    List<Reply<String>> waiting = new ArrayList<>();
    CompletableFuture<String> first =
        here.runOnce("r1", "x", (state, tx, reply) -> waiting.add(reply));
    CompletableFuture<String> again =
        here.runOnce("r1", "x", (state, tx, reply) -> waiting.add(reply));
    assertEquals(1, waiting.size());
    here.run((state, tx, reply) -> waiting.get(0).send(tx, "granted"));
    assertEquals("granted", first.join());
    assertEquals("granted", again.join());
  }

  private static ErrorReason reason(CompletableFuture<?> call) {
    assertTrue(call.isDone(), "answered by now");
    CompletionException thrown = assertThrows(CompletionException.class, call::join);
    return ((Failure) thrown.getCause()).reason();
  }
}
