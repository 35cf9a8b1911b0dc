package dev.plinth.id.core;

import dev.plinth.shards.Event;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import dev.plinth.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Transactions on a clock that the test moves; what they write is durable when the test says. */
final class HeldTx implements Tx {
  private final ManualClock clock;
  final Map<String, byte[]> rows = new TreeMap<>();
  private final List<Runnable> pending = new ArrayList<>();
  private int written;
  private int term;

  HeldTx(ManualClock clock) {
    this.clock = clock;
  }

  HeldTx next() {
    written = 0;
    return this;
  }

  /** All that was written becomes durable. */
  void commit() {
    List<Runnable> now = List.copyOf(pending);
    pending.clear();
    now.forEach(Runnable::run);
  }

  /** The owner dies: what was not durable is lost, and its timers fire no more. */
  void crash() {
    pending.clear();
    term++;
  }

  List<Row> stored() {
    return rows.entrySet().stream().map(e -> new Row(e.getKey(), e.getValue())).toList();
  }

  String row(String key) {
    return new String(rows.get(key));
  }

  @Override
  public long nanos() {
    return clock.nanos().getAsLong();
  }

  @Override
  public void put(String key, byte[] value) {
    written++;
    pending.add(() -> rows.put(key, value));
  }

  @Override
  public void delete(String key) {
    throw new AssertionError("nothing of ids is ever deleted");
  }

  @Override
  public int writes() {
    return written;
  }

  @Override
  public void afterCommit(Runnable task) {
    pending.add(task);
  }

  @Override
  public void emit(Event event) {}

  @Override
  public long token() {
    throw new AssertionError("ids need no tokens");
  }

  @Override
  public Timer at(long nanos, TimerTask task) {
    int mine = term;
    Runnable unlessReplaced =
        () -> {
          if (mine == term) {
            task.run(next());
          }
        };
    ScheduledFuture<?> timer =
        clock.scheduler().schedule(unlessReplaced, nanos - nanos(), TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }
}
