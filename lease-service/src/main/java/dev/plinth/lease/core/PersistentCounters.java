package dev.plinth.lease.core;

import dev.plinth.shards.RowReader;
import dev.plinth.shards.RowWriter;
import dev.plinth.shards.Tx;
import java.util.HashMap;
import java.util.Map;

/** Numbers that only rise and are kept for ever, each in a row of its own. */
final class PersistentCounters {
  private final String prefix;
  private final Map<String, Long> values = new HashMap<>();
  private final Map<String, Integer> counts = new HashMap<>();

  PersistentCounters(String prefix) {
    this.prefix = prefix;
  }

  void load(RowReader row) {
    keep(LeaseName.ofPath(row.key()), row.number());
  }

  /** 0 if it was never set. */
  long get(LeaseName name) {
    return values.getOrDefault(name.path(), 0L);
  }

  /** How many a namespace has. */
  int count(String namespace) {
    return counts.getOrDefault(namespace, 0);
  }

  private void keep(LeaseName name, long value) {
    if (values.put(name.path(), value) == null) {
      counts.merge(name.namespace(), 1, Integer::sum);
    }
  }

  void set(LeaseName name, long value, Tx tx) {
    keep(name, value);
    tx.put(prefix + name.path(), RowWriter.row().number(value).bytes());
  }
}
