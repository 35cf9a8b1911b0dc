package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.StartRefusedException;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.TestSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real threads on the real embedded store. */
class ShardsTest {
  private static final TextApp TEXTS = new TextApp();

  @TempDir Path directory;
  private ShardStore store;
  private Shards shards;

  @BeforeEach
  void start() {
    store = EmbeddedShardStore.open(directory, 8);
    shards = Shards.open(store, List.of(TEXTS), settings(), new SimpleMeterRegistry());
  }

  @AfterEach
  void stop() {
    shards.close();
    store.close();
  }

  @Test
  void everyShard_isServedAtOnce() {
    assertEquals(IntStream.range(0, 8).boxed().toList(), shards.served());
  }

  @Test
  void manyWriters_loseNothing_overARestart() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      calls.add(put("key" + i, "v" + i));
    }
    calls.forEach(call -> call.orTimeout(30, TimeUnit.SECONDS).join());
    stop();
    start();
    for (int i = 0; i < 5_000; i++) {
      assertEquals("v" + i, get("key" + i));
    }
  }

  @Test
  void rowsThatAnAppCannotRead_refuseTheStart() {
    put("key", "v").join();
    shards.close();
    UnreadableApp app = new UnreadableApp();
    app.fails.set(true);
    StartRefusedException refused =
        assertThrows(
            StartRefusedException.class,
            () -> Shards.open(store, List.of(app), settings(), new SimpleMeterRegistry()));
    assertTrue(refused.getMessage().contains("format v9"), refused.getMessage());
  }

  @Test
  void rowsThatAnAppCannotReadAnyMore_refuseTheShardVisibly_andItIsServedWhenTheyCan() {
    shards.close();
    UnreadableApp app = new UnreadableApp();
    shards = Shards.open(store, List.of(app), settings(), new SimpleMeterRegistry());
    shards.mutate(0, app, CommandPriority.NORMAL, TextApp.put("key", "v")).join();
    app.fails.set(true);
    int before = app.opened.get();
    shards.mutate(
        0,
        app,
        CommandPriority.NORMAL,
        (state, tx, reply) -> {
          throw new IllegalStateException("a bug, so that the shard is loaded anew");
        });
    Await.until("it shows", () -> shards.engine().unavailableReason().isPresent());
    String why = shards.engine().unavailableReason().get();
    assertTrue(why.contains("[0]") && why.contains("format v9"), why);
    assertEquals(before + 1, app.opened.get(), "it is not loaded again and again");
    assertEquals(7, shards.served().size());
    app.fails.set(false);
    Await.until("it is served", () -> shards.served().size() == 8);
    Await.until("it shows", () -> shards.engine().unavailableReason().isEmpty());
  }

  /** Texts that cannot be read at times, as after a downgrade. */
  private static final class UnreadableApp implements ShardApp<Map<String, String>> {
    private final AtomicBoolean fails = new AtomicBoolean();
    private final AtomicInteger opened = new AtomicInteger();

    @Override
    public String prefix() {
      return TEXTS.prefix();
    }

    @Override
    public Map<String, String> open(List<Row> rows, Tx tx) {
      opened.incrementAndGet();
      if (fails.get() && !rows.isEmpty()) {
        throw new IllegalStateException("text/key has format v9 (expected: v1)");
      }
      return TEXTS.open(rows, tx);
    }
  }

  @Test
  void keys_spreadOverAllShards() {
    Set<Integer> used = new HashSet<>();
    IntStream.range(0, 200).forEach(i -> used.add(shards.shardOf("key" + i)));
    assertEquals(8, used.size());
    assertEquals(0, Fingerprint.shardOf("key", 1));
    assertEquals(
        List.of(10, 11, 13),
        List.of(
            Fingerprint.shardOf("printer", 16),
            Fingerprint.shardOf("", 16),
            Fingerprint.shardOf("ä", 16)),
        "stored data depends on these");
  }

  @Test
  void fullQueue_refusesNewWork_butTakesRenewals() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch unblock = new CountDownLatch(1);
    Command<Map<String, String>, String> block =
        (state, tx, reply) -> {
          blocked.countDown();
          awaitQuietly(unblock);
        };
    // It runs on the thread that brings it.
    CompletableFuture.runAsync(() -> shards.submit(0, TEXTS, CommandPriority.NORMAL, block));
    assertTrue(blocked.await(10, TimeUnit.SECONDS));
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 5001; i++) {
      calls.add(shards.submit(0, TEXTS, CommandPriority.NORMAL, TextApp.get("a")));
    }
    CompletableFuture<String> renewal =
        shards.submit(
            0, TEXTS, CommandPriority.URGENT, (state, tx, reply) -> reply.sendNow("renewed"));
    assertEquals(ErrorReason.ERROR_REASON_OVERLOADED, reason(calls.get(5000)));
    unblock.countDown();
    assertEquals("renewed", renewal.get(10, TimeUnit.SECONDS));
    for (CompletableFuture<String> call : calls.subList(0, 5000)) {
      assertEquals("", call.get(10, TimeUnit.SECONDS));
    }
  }

  @Test
  void shardDroppedByABug_isServedAgainFromItsRows() {
    put("a", "1").join();
    int shard = shards.shardOf("a");
    CompletableFuture<String> broken =
        shards.submit(
            shard,
            TEXTS,
            CommandPriority.NORMAL,
            (state, tx, reply) -> {
              state.clear();
              tx.delete("text/a");
              throw new IllegalStateException("bug");
            });
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(broken));
    Await.until("it is served again", () -> get("a").equals("1"));
  }

  @Test
  void shardDroppedByAnError_isServedAgain_byTheSameThread() {
    put("a", "1").join();
    CompletableFuture<String> broken =
        shards.submit(
            shards.shardOf("a"), TEXTS, CommandPriority.NORMAL, (state, tx, reply) -> recurse(0));
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(broken));
    Await.until("it is served again", () -> get("a").equals("1"));
  }

  private static int recurse(int depth) {
    return recurse(depth + 1) + 1;
  }

  @Test
  void close_letsWhatIsDecidedBecomeDurable_andRefusesTheRest() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      calls.add(put("key" + i, "x"));
    }
    stop();
    for (CompletableFuture<String> call : calls) {
      assertEquals("", call.orTimeout(10, TimeUnit.SECONDS).join());
    }
    assertEquals(ErrorReason.ERROR_REASON_SHARD_MOVED, reason(put("late", "x")));
    start();
    assertEquals("x", get("key499"));
  }

  @Test
  void watch_followsOneShard_andResumesWithoutAGap() {
    int shard = shards.shardOf("a");
    put("a", "1").join();
    RecordedWatcher first = new RecordedWatcher();
    shards.watch(shard, TEXTS, (state, nanos) -> state.get("a"), first);
    Await.until("the snapshot", () -> first.told.contains("snapshot@1 1"));
    put("a", "2").join();
    Await.until("the event", () -> first.told.contains("events@2 [a=2]"));
    shards.unwatch(shard, first);
    put("a", "3").join();
    RecordedWatcher second = new RecordedWatcher();
    shards.resume(shard, TEXTS, 2, (state, nanos) -> state.get("a"), second);
    Await.until("what was missed", () -> second.told.contains("events@3 [a=3]"));
    Await.until("progress", () -> second.told.contains("progress@3"));
    assertEquals("events@3 [a=3]", second.told.get(0));
  }

  private CompletableFuture<String> put(String key, String text) {
    return shards.submit(
        shards.shardOf(key), TEXTS, CommandPriority.NORMAL, TextApp.put(key, text));
  }

  private String get(String key) {
    return shards
        .submit(shards.shardOf(key), TEXTS, CommandPriority.NORMAL, TextApp.get(key))
        .orTimeout(10, TimeUnit.SECONDS)
        .join();
  }

  private static ShardsSettings settings() {
    return TestSettings.read(
        ShardsSettings.class,
        "--count=8",
        "--threads=2",
        "--queue=5000",
        "--progress-interval=20ms");
  }

  private static ErrorReason reason(CompletableFuture<?> call) {
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> call.orTimeout(10, TimeUnit.SECONDS).join());
    return ((Failure) thrown.getCause()).reason();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
