package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.plinth.server.failure.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Callers that go away, and what those are told whose shard does. */
class ShardCallersTest {
  private final HeldShard here = new HeldShard();
  private final List<String> ran = new ArrayList<>();

  @Test
  void commandWhoseCallerIsGone_isNotRun() {
    PendingReply<String> reply = new PendingReply<>();
    reply.future().cancel(false);
    here.shard.run(HeldShard.TEXTS, (state, tx, to) -> ran.add("run"), reply);
    here.shard.mutate(HeldShard.TEXTS, (state, tx, to) -> ran.add("mutate"), reply);
    IdempotentRequest<String> idempotentRequest = TextApp.request("r1", "x");
    here.shard.runOnce(
        HeldShard.TEXTS,
        CommandPriority.NORMAL,
        idempotentRequest,
        (state, tx, to) -> ran.add("once"),
        reply);
    assertEquals(List.of(), ran);
    PendingReply<String> again = new PendingReply<>();
    here.shard.runOnce(
        HeldShard.TEXTS, CommandPriority.NORMAL, idempotentRequest, TextApp.put("a", "1"), again);
    here.commit();
    assertEquals("", again.future().join(), "sent again it runs for the first time");
  }

  /** As a stream has it that waited in line: its call goes on after the grant. */
  @Test
  void waiterServedByAnothersCommit_isNotToldThatItHadNoEffect() {
    List<Reply<String>> line = new ArrayList<>();
    CompletableFuture<String> granted = here.run((state, tx, reply) -> line.add(reply));
    CompletableFuture<String> waiting = here.run((state, tx, reply) -> line.add(reply));
    here.run(
        (state, tx, reply) -> {
          tx.put("text/a", new byte[0]);
          line.get(0).hadEffect();
          reply.send(tx, "");
        });
    here.shard.flush();
    here.store.fail(Failure.StoreUnavailable.outcomeUnknown("test", "lost", null));
    assertNull(effect(granted));
    assertEquals("none", effect(waiting));
  }

  @Test
  void repliesOfADroppedShard_areEachToldOnce_theOldestFirst() {
    List<Integer> told = new ArrayList<>();
    List<Reply<String>> line = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int n = i;
      here.run((state, tx, reply) -> line.add(reply)).whenComplete((r, thrown) -> told.add(n));
    }
    line.get(2).sendNow("");
    line.get(0).sendNow("");
    here.shard.leave();
    assertEquals(List.of(2, 0, 1, 3, 4), told);
  }

  private static String effect(CompletableFuture<?> call) {
    return HeldShard.failure(call).metadata().get(ShardFailures.EFFECT);
  }
}
