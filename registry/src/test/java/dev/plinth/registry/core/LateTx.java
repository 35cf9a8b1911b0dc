package dev.plinth.registry.core;

import dev.plinth.shards.CommitLog;
import dev.plinth.shards.Event;
import dev.plinth.shards.Tx;
import java.time.Duration;

/** A transaction of a shard whose timers are late, as after a pause. */
record LateTx(Tx tx, Duration by) implements Tx {
  @Override
  public long nanos() {
    return tx.nanos() + by.toNanos();
  }

  @Override
  public void put(String key, byte[] value) {
    tx.put(key, value);
  }

  @Override
  public void delete(String key) {
    tx.delete(key);
  }

  @Override
  public void append(CommitLog log, byte[] entry) {
    tx.append(log, entry);
  }

  @Override
  public int writes() {
    return tx.writes();
  }

  @Override
  public void afterCommit(Runnable task) {
    tx.afterCommit(task);
  }

  @Override
  public void emit(Event event) {
    tx.emit(event);
  }

  @Override
  public long token() {
    return tx.token();
  }

  @Override
  public long tokenLimit() {
    return tx.tokenLimit();
  }

  @Override
  public Timer at(long nanos, TimerTask task) {
    return tx.at(nanos, task);
  }
}
