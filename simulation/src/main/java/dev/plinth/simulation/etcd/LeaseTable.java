package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The leases, each with its keys, its expiry and the later time at which etcd revokes it. */
final class LeaseTable {
  private static final Comparator<ByteString> ORDER =
      ByteString.unsignedLexicographicalComparator();

  /** One lease. Times are nanoseconds of the model's clock. */
  static final class Entry {
    private final long id;
    private final long ttlSeconds;
    private final NavigableSet<ByteString> keys = new TreeSet<>(ORDER);
    private long expiry;
    private long revokeAt;

    private Entry(long id, long ttlSeconds) {
      this.id = id;
      this.ttlSeconds = ttlSeconds;
    }

    private Entry copy() {
      Entry copy = new Entry(id, ttlSeconds);
      copy.keys.addAll(keys);
      copy.expiry = expiry;
      copy.revokeAt = revokeAt;
      return copy;
    }

    void refresh(long expiry, long revokeAt) {
      this.expiry = expiry;
      this.revokeAt = revokeAt;
    }

    long id() {
      return id;
    }

    long ttlSeconds() {
      return ttlSeconds;
    }

    boolean isExpired(long now) {
      return now - expiry >= 0;
    }

    NavigableSet<ByteString> keys() {
      return keys;
    }
  }

  private final Map<Long, Entry> leases = new TreeMap<>();

  LeaseTable copy() {
    LeaseTable copy = new LeaseTable();
    leases.forEach((id, lease) -> copy.leases.put(id, lease.copy()));
    return copy;
  }

  Optional<Entry> find(long id) {
    return Optional.ofNullable(leases.get(id));
  }

  Entry add(long id, long ttlSeconds) {
    Entry lease = new Entry(id, ttlSeconds);
    leases.put(id, lease);
    return lease;
  }

  void remove(long id) {
    leases.remove(id);
  }

  Iterable<Entry> all() {
    return leases.values();
  }

  /** Of the leases whose time to be revoked has come, the first. */
  Optional<Entry> due(long now) {
    return leases.values().stream()
        .filter(lease -> now - lease.revokeAt >= 0)
        .min(Comparator.comparingLong(lease -> lease.revokeAt - now));
  }

  /** Binds a key to another lease, or to none (0). */
  void move(ByteString key, long from, long to) {
    find(from).ifPresent(lease -> lease.keys.remove(key));
    find(to).ifPresent(lease -> lease.keys.add(key));
  }
}
