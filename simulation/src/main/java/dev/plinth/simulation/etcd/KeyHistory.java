package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Every key with its changes since the last compaction, oldest first. A row of version 0 marks a
 * deletion.
 */
final class KeyHistory {
  private static final Comparator<ByteString> ORDER =
      ByteString.unsignedLexicographicalComparator();
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);
  // About what a row costs in the file beside its key and value.
  private static final int ROW_BYTES = 64;

  private final NavigableMap<ByteString, List<KeyValue>> changes = new TreeMap<>(ORDER);
  private long bytes;

  KeyHistory copy() {
    KeyHistory copy = new KeyHistory();
    changes.forEach((key, rows) -> copy.changes.put(key, new ArrayList<>(rows)));
    copy.bytes = bytes;
    return copy;
  }

  /** What all that is kept takes in the file. */
  long bytes() {
    return bytes;
  }

  Optional<KeyValue> get(ByteString key, long revision) {
    return asOf(changes.getOrDefault(key, List.of()), revision);
  }

  /**
   * Rows in the order of their keys.
   *
   * @param end as etcd means it: empty for the one key, a zero byte for all keys from it on
   */
  List<KeyValue> range(ByteString key, ByteString end, long revision) {
    return between(key, end).stream().flatMap(rows -> asOf(rows, revision).stream()).toList();
  }

  private Collection<List<KeyValue>> between(ByteString key, ByteString end) {
    if (end.isEmpty()) {
      return changes.containsKey(key) ? List.of(changes.get(key)) : List.of();
    }
    if (end.equals(ZERO)) {
      return changes.tailMap(key, true).values();
    }
    return ORDER.compare(key, end) < 0 ? changes.subMap(key, true, end, false).values() : List.of();
  }

  private static Optional<KeyValue> asOf(List<KeyValue> rows, long revision) {
    for (int i = rows.size() - 1; i >= 0; i--) {
      KeyValue row = rows.get(i);
      if (row.getModRevision() <= revision) {
        return row.getVersion() == 0 ? Optional.empty() : Optional.of(row);
      }
    }
    return Optional.empty();
  }

  void put(ByteString key, ByteString value, long lease, long revision) {
    Optional<KeyValue> before = get(key, revision);
    add(
        KeyValue.newBuilder()
            .setKey(key)
            .setValue(value)
            .setCreateRevision(before.map(KeyValue::getCreateRevision).orElse(revision))
            .setModRevision(revision)
            .setVersion(before.map(KeyValue::getVersion).orElse(0L) + 1)
            .setLease(lease)
            .build());
  }

  void delete(ByteString key, long revision) {
    add(KeyValue.newBuilder().setKey(key).setModRevision(revision).build());
  }

  private void add(KeyValue row) {
    changes.computeIfAbsent(row.getKey(), key -> new ArrayList<>()).add(row);
    bytes += bytes(row);
  }

  private static long bytes(KeyValue row) {
    return ROW_BYTES + row.getKey().size() + row.getValue().size();
  }

  /** Forgets what was overwritten or deleted at the revision or before it. */
  void compact(long revision) {
    for (Iterator<List<KeyValue>> keys = changes.values().iterator(); keys.hasNext(); ) {
      List<KeyValue> rows = keys.next();
      int keep = 0;
      while (keep + 1 < rows.size() && rows.get(keep + 1).getModRevision() <= revision) {
        keep++;
      }
      KeyValue last = rows.get(keep);
      if (last.getVersion() == 0 && last.getModRevision() <= revision) {
        keep++;
      }
      List<KeyValue> old = rows.subList(0, keep);
      bytes -= old.stream().mapToLong(KeyHistory::bytes).sum();
      old.clear();
      if (rows.isEmpty()) {
        keys.remove();
      }
    }
  }
}
