package dev.plinth.shards;

import dev.plinth.shards.store.Write;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The effects of many commands, on their way as one commit. */
final class CommitBatch {
  private final long revision;
  private final Map<String, Write> writes = new LinkedHashMap<>();
  private final Set<CommitLog> logs = new LinkedHashSet<>();
  private final List<Event> events = new ArrayList<>();
  private final List<Runnable> whenDurable = new ArrayList<>();

  private long sentAt;
  private int bytes;

  CommitBatch(long revision) {
    this.revision = revision;
  }

  long revision() {
    return revision;
  }

  /** How many writes there would be with these too; a key written again costs nothing. */
  int sizeWith(ShardTx tx) {
    int size = writes.size() + logs.size();
    for (String key : tx.rows().keySet()) {
      size += writes.containsKey(key) ? 0 : 1;
    }
    for (ShardTx.Appended entry : tx.appended()) {
      size += logs.contains(entry.log()) ? 0 : 1; // at worst too many, and the batch ends early
    }
    return size;
  }

  void add(ShardTx tx) {
    writes.putAll(tx.rows());
    bytes += tx.bytes();
    for (ShardTx.Appended entry : tx.appended()) {
      if (logs.add(entry.log())) {
        bytes += entry.log().carriedBytes();
      }
      entry.log().add(entry.entry());
    }
    events.addAll(tx.events());
  }

  /** Nothing more is added: each log gives its row. */
  void seal() {
    for (CommitLog log : logs) {
      Write row = log.seal();
      writes.put(row.key(), row);
    }
    logs.clear();
  }

  void whenDurable(Runnable answer) {
    whenDurable.add(answer);
  }

  /** How many wait for it. */
  int answers() {
    return whenDurable.size();
  }

  /** A batch without writes has nothing to commit; its answers wait for nothing either. */
  boolean isEmpty() {
    return writes.isEmpty() && logs.isEmpty();
  }

  /** No less than what its writes weigh; a key written again counts again. */
  int bytes() {
    return bytes;
  }

  int size() {
    return writes.size();
  }

  void sentAt(long nanos) {
    sentAt = nanos;
  }

  long sentAt() {
    return sentAt;
  }

  List<Write> writes() {
    return List.copyOf(writes.values());
  }

  List<Event> events() {
    return events;
  }

  void durable() {
    whenDurable.forEach(Runnable::run);
  }
}
