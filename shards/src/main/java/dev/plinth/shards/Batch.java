package dev.plinth.shards;

import dev.plinth.shards.store.Write;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The effects of many commands, on their way as one commit. */
final class Batch {
  private final long revision;
  private final Map<String, Write> writes = new LinkedHashMap<>();
  private final List<Event> events = new ArrayList<>();
  private final List<Runnable> whenDurable = new ArrayList<>();

  private long sentAt;
  private int bytes;

  Batch(long revision) {
    this.revision = revision;
  }

  long revision() {
    return revision;
  }

  /** How many writes there would be with these too; a key written again costs nothing. */
  int sizeWith(Map<String, Write> more) {
    int size = writes.size();
    for (String key : more.keySet()) {
      size += writes.containsKey(key) ? 0 : 1;
    }
    return size;
  }

  void add(Map<String, Write> moreWrites, List<Event> moreEvents) {
    writes.putAll(moreWrites);
    moreWrites.values().forEach(write -> bytes += write.bytes());
    events.addAll(moreEvents);
  }

  void whenDurable(Runnable answer) {
    whenDurable.add(answer);
  }

  /** A batch without writes has nothing to commit; its answers wait for nothing either. */
  boolean isEmpty() {
    return writes.isEmpty();
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
