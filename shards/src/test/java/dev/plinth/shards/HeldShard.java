package dev.plinth.shards;

import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.request.RequestMemo;
import dev.plinth.shards.request.RequestMemory;
import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A shard of texts on a store whose commits the test holds, on a clock that it moves. */
final class HeldShard {
  static final TextApp TEXTS = new TextApp();

  final ManualClock clock;
  final HeldStore store;
  final Shard shard;

  HeldShard() {
    this(new ManualClock(), new HeldStore(), Runnable::run, TEXTS);
  }

  HeldShard(ManualClock clock, HeldStore store, ShardExecutor loop, ShardApp<?> shardApp) {
    this.clock = clock;
    this.store = store;
    this.shard = taken(clock, store, loop, shardApp);
    shard.timers().start();
  }

  /** Loaded, but not started. */
  static Shard taken(ManualClock clock, HeldStore store, ShardExecutor loop, ShardApp<?> shardApp) {
    return taken(ClockedMachine.of(clock), store, loop, shardApp);
  }

  static Shard taken(Machine machine, HeldStore store, ShardExecutor loop, ShardApp<?> shardApp) {
    Shard shard =
        new Shard(
            store,
            store.claim(0).orElseThrow(),
            loop,
            machine,
            new RequestMemo(
                new RequestMemory(Duration.ofMinutes(10), 1 << 20, 1 << 20, 1 << 16), machine),
            new ShardMetrics(new SimpleMeterRegistry(), machine.nanos()));
    shard.takeOver(List.of(shardApp), 0, RollbackDetector.inMemory(1));
    return shard;
  }

  /** The same rows in the hands of the next owner. */
  HeldShard next() {
    return new HeldShard(clock, store, Runnable::run, TEXTS);
  }

  CompletableFuture<String> run(Command<Map<String, String>, String> command) {
    PendingReply<String> reply = new PendingReply<>();
    shard.run(TEXTS, command, reply);
    return reply.future();
  }

  CompletableFuture<String> runOnce(
      String id, String body, Command<Map<String, String>, String> command) {
    PendingReply<String> reply = new PendingReply<>();
    shard.runOnce(TEXTS, CommandPriority.NORMAL, TextApp.request(id, body), command, reply);
    return reply.future();
  }

  RecordedWatcher watch() {
    RecordedWatcher watcher = new RecordedWatcher();
    shard.watch(TEXTS, OptionalLong.empty(), (state, nanos) -> new TreeMap<>(state), watcher);
    return watcher;
  }

  RecordedWatcher resume(long after) {
    RecordedWatcher watcher = new RecordedWatcher();
    shard.watch(TEXTS, OptionalLong.of(after), (state, nanos) -> new TreeMap<>(state), watcher);
    return watcher;
  }

  /** Sends what gathered, and all of it becomes durable. */
  void commit() {
    shard.flush();
    store.finishAll();
  }

  static Failure failure(CompletableFuture<?> call) {
    if (!call.isDone()) {
      throw new AssertionError("not answered yet");
    }
    try {
      call.join();
    } catch (CompletionException e) {
      return (Failure) e.getCause();
    }
    throw new AssertionError("not refused");
  }
}
