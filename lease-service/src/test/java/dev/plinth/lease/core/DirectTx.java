package dev.plinth.lease.core;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Event;
import dev.plinth.shards.Reply;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import dev.plinth.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Transactions that take effect at once, on a clock that the test moves. */
final class DirectTx implements Tx {
  private final ManualClock clock;
  final Map<String, byte[]> rows = new TreeMap<>();
  final List<LeaseChange> events = new ArrayList<>();
  int written;
  private int before;
  private int term;
  private long token;

  DirectTx(ManualClock clock) {
    this.clock = clock;
  }

  /** The timers of a former owner fire no more. */
  void restart() {
    term++;
  }

  List<Row> stored() {
    return rows.entrySet().stream().map(e -> new Row(e.getKey(), e.getValue())).toList();
  }

  @Override
  public long nanos() {
    return clock.nanos().getAsLong();
  }

  @Override
  public void put(String key, byte[] value) {
    rows.put(key, value);
    written++;
  }

  @Override
  public void delete(String key) {
    rows.remove(key);
    written++;
  }

  /** What follows is a transaction of its own. */
  DirectTx next() {
    before = written;
    return this;
  }

  /** All rows but the history's. */
  Set<String> live() {
    return rows.keySet().stream()
        .filter(key -> !key.startsWith(HistoryLog.PREFIX))
        .collect(Collectors.toSet());
  }

  @Override
  public int writes() {
    return written - before;
  }

  @Override
  public void afterCommit(Runnable task) {
    task.run();
  }

  @Override
  public void emit(Event event) {
    events.add((LeaseChange) event.body());
  }

  @Override
  public long token() {
    return ++token;
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

  /** Keeps its answer for the test to look at. */
  static final class Answer<R> implements Reply<R> {
    R answer;
    Failure failure;
    boolean abandoned;

    boolean isOpen() {
      return answer == null && failure == null;
    }

    @Override
    public void send(Tx tx, R value) {
      if (isOpen()) {
        answer = value;
      }
    }

    @Override
    public void fail(Tx tx, Failure why) {
      if (isOpen()) {
        failure = why;
      }
    }

    @Override
    public void sendNow(R value) {
      send(null, value);
    }

    @Override
    public boolean isAbandoned() {
      return abandoned;
    }
  }
}
