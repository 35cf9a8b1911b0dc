package dev.plinth.ratelimit.core;

import dev.plinth.shards.Event;
import dev.plinth.shards.Tx;
import dev.plinth.shards.store.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A transaction that is durable at once. Policies need no time and no tokens. */
final class NotedTx implements Tx {
  final List<Event> events = new ArrayList<>();
  private final Map<String, byte[]> rows = new TreeMap<>();

  List<Row> stored() {
    return rows.entrySet().stream().map(e -> new Row(e.getKey(), e.getValue())).toList();
  }

  String row(String key) {
    return new String(rows.get(key));
  }

  @Override
  public void put(String key, byte[] value) {
    rows.put(key, value);
  }

  @Override
  public void emit(Event event) {
    events.add(event);
  }

  @Override
  public void delete(String key) {
    throw new AssertionError("versions would fall");
  }

  @Override
  public long nanos() {
    throw new AssertionError();
  }

  @Override
  public int writes() {
    throw new AssertionError();
  }

  @Override
  public void afterCommit(Runnable task) {
    throw new AssertionError();
  }

  @Override
  public long token() {
    throw new AssertionError();
  }

  @Override
  public Timer at(long nanos, TimerTask task) {
    throw new AssertionError();
  }
}
