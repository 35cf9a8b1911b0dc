package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.Command;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.Shards;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.TextApp;
import dev.plinth.shards.fixture.FakeCall;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.TestSettings;
import io.grpc.Context;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls whose callers go away while their commands still queue. */
class ShardCallsTest {
  private static final TextApp TEXTS = new TextApp();

  @TempDir Path directory;
  private final CountDownLatch unblock = new CountDownLatch(1);
  private final List<String> ran = new CopyOnWriteArrayList<>();
  private ShardStore store;
  private Shards shards;
  private ShardCalls<Map<String, String>> calls;

  @BeforeEach
  void start() throws InterruptedException {
    store = EmbeddedShardStore.open(directory, 1);
    ShardsSettings settings = TestSettings.read(ShardsSettings.class, "--count=1", "--threads=1");
    shards = Shards.open(store, List.of(TEXTS), settings, new SimpleMeterRegistry());
    calls = new ShardCalls<>(shards, TEXTS);
    block();
  }

  /** The shard's loop waits until the test has said all it has to say. */
  private void block() throws InterruptedException {
    CountDownLatch blocked = new CountDownLatch(1);
    Command<Map<String, String>, String> block =
        (state, tx, reply) -> {
          blocked.countDown();
          try {
            unblock.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    // It runs on the thread that brings it.
    CompletableFuture.runAsync(() -> shards.submit(0, TEXTS, CommandPriority.NORMAL, block));
    assertTrue(blocked.await(10, TimeUnit.SECONDS));
  }

  @AfterEach
  void stop() {
    unblock.countDown();
    shards.close();
    store.close();
  }

  @Test
  void commandOfACallThatWasCancelled_isNotRun() {
    FakeCall<String> cancelled = new FakeCall<>();
    FakeCall<String> open = new FakeCall<>();
    calls.read(0, CommandPriority.NORMAL, (state, tx, reply) -> ran.add("cancelled"), cancelled);
    calls.read(0, CommandPriority.NORMAL, TextApp.get("a"), open);
    cancelled.cancel();
    unblock.countDown();
    Await.until("the other is answered", () -> open.received.equals(List.of("")));
    assertEquals(List.of(), ran);
  }

  /** Its caller's leaving goes ahead of it, and must not be the last that is heard of it. */
  @Test
  void startOfAStreamThatWasCancelled_isNotRun_afterItsLeaving() {
    Context.CancellableContext caller = Context.current().withCancellation();
    FakeCall<String> stream = new FakeCall<>();
    caller.run(
        () ->
            calls.mutatingStream(
                0,
                (state, tx, streamReply) -> ran.add("joined the line"),
                (state, tx, reply) -> ran.add("left"),
                stream));
    FakeCall<String> open = new FakeCall<>();
    calls.read(0, CommandPriority.NORMAL, TextApp.get("a"), open);
    caller.cancel(null);
    unblock.countDown();
    Await.until("the other is answered", () -> open.received.equals(List.of("")));
    Await.until("its leaving is heard of", () -> !ran.isEmpty());
    assertEquals(List.of("left"), ran);
  }
}
