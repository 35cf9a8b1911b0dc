package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.ForwardingMachine;
import dev.plinth.machine.Machine;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.ManualClock;
import dev.plinth.testkit.TestSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shards with their own threads, on a clock that stands still unless it is moved. */
class ManualTimeTest {
  private static final TextApp TEXTS = new TextApp();
  private static final Duration TTL = Duration.ofSeconds(10);

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private final AtomicInteger fired = new AtomicInteger();
  private final AtomicInteger waits = new AtomicInteger();
  private ShardStore store;
  private Shards shards;

  @BeforeEach
  void start() {
    store = EmbeddedShardStore.open(folder, 4);
    ShardsSettings settings = TestSettings.read(ShardsSettings.class, "--count=4", "--threads=2");
    shards =
        Shards.open(
            store,
            List.of(TEXTS),
            settings,
            Optional.empty(),
            new ForwardingMachine(Machine.system().withTime(clock)) {
              @Override
              public <T> T await(CompletableFuture<T> result, Duration atMost)
                  throws InterruptedException, ExecutionException, TimeoutException {
                waits.incrementAndGet();
                return super.await(result, atMost);
              }
            },
            new SimpleMeterRegistry());
  }

  @AfterEach
  void stop() {
    shards.close();
    store.close();
  }

  @Test
  void timersOfAllShards_haveFired_whenTheMoveReturns() {
    for (int shard = 0; shard < 4; shard++) {
      run(shard, (tx) -> tx.at(tx.nanos() + TTL.toNanos(), later -> fired.incrementAndGet()));
    }
    clock.advance(TTL.minusMillis(1));
    assertEquals(0, fired.get());
    clock.advance(Duration.ofMillis(1));
    assertEquals(4, fired.get());
  }

  @Test
  void workInSteps_isDone_whenTheMoveReturns() {
    run(0, tx -> tx.at(tx.nanos() + TTL.toNanos(), later -> step(later, 100)));
    clock.advance(TTL);
    assertEquals(100, fired.get());
  }

  @Test
  void workInSteps_needsNoMove() throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    run(0, tx -> tx.at(tx.nanos(), later -> later.at(later.nanos(), last -> done.complete(null))));
    done.get(10, TimeUnit.SECONDS);
  }

  @Test
  void timers_fireAfterAJump_thatTheLoopsNoticedThemselves() {
    clock.advance(Duration.ofHours(1));
    timersOfAllShards_haveFired_whenTheMoveReturns();
  }

  @Test
  void moveAfterTheEnd_waitsForNobody() {
    clock.advance(TTL);
    assertTrue(waits.get() > 0);
    shards.close();
    waits.set(0);
    clock.advance(TTL);
    assertEquals(0, waits.get());
  }

  private void step(Tx tx, int left) {
    fired.incrementAndGet();
    if (left > 1) {
      tx.at(tx.nanos(), later -> step(later, left - 1));
    }
  }

  private void run(int shard, Tx.TimerTask task) {
    shards
        .<Map<String, String>, String>submit(
            shard,
            TEXTS,
            CommandPriority.NORMAL,
            (state, tx, reply) -> {
              task.run(tx);
              reply.send(tx, "done");
            })
        .orTimeout(10, TimeUnit.SECONDS)
        .join();
  }
}
