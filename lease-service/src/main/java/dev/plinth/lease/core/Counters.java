package dev.plinth.lease.core;

import dev.plinth.shards.Tx;
import java.util.HashMap;
import java.util.Map;

/** Numbers that only rise and are kept for ever, each in a row of its own. */
final class Counters {
  private final String prefix;
  private final Map<String, Long> values = new HashMap<>();

  Counters(String prefix) {
    this.prefix = prefix;
  }

  void load(String rowKey, byte[] value) {
    values.put(
        rowKey.substring(prefix.length()),
        Long.parseLong(Words.lines(rowKey, value)[0].split(" ")[1]));
  }

  /** 0 if it was never set. */
  long get(LeaseName name) {
    return values.getOrDefault(name.path(), 0L);
  }

  void set(LeaseName name, long value, Tx tx) {
    values.put(name.path(), value);
    tx.put(prefix + name.path(), Words.bytes(Words.VERSION + " " + value));
  }
}
