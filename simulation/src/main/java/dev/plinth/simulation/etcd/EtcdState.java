package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import java.util.List;

/** What a cluster holds: what a backup of it contains. */
final class EtcdState {
  private final KeyHistory keys;
  private final LeaseTable leases;
  private long revision = 1;
  private long compacted = -1;
  private long fileBytes;
  private boolean spaceAlarm;

  EtcdState() {
    this(new KeyHistory(), new LeaseTable());
  }

  private EtcdState(KeyHistory keys, LeaseTable leases) {
    this.keys = keys;
    this.leases = leases;
  }

  EtcdState copy() {
    EtcdState copy = new EtcdState(keys.copy(), leases.copy());
    copy.revision = revision;
    copy.compacted = compacted;
    copy.fileBytes = fileBytes;
    copy.spaceAlarm = spaceAlarm;
    return copy;
  }

  LeaseTable leases() {
    return leases;
  }

  long revision() {
    return revision;
  }

  long compacted() {
    return compacted;
  }

  /** Rows as of a revision, 0 or less for now. */
  List<KeyValue> range(ByteString key, ByteString end, long at, long now) {
    if (at > now) {
      throw EtcdErrors.futureRevision();
    }
    long revision = at <= 0 ? now : at;
    if (revision < compacted) {
      throw EtcdErrors.compacted();
    }
    return keys.range(key, end, revision);
  }

  /** Writes under a revision that is made the current one when its transaction ends. */
  void put(ByteString key, ByteString value, long lease, long at) {
    long before = keys.get(key, at).map(KeyValue::getLease).orElse(0L);
    keys.put(key, value, lease, at);
    leases.move(key, before, lease);
    fileBytes = Math.max(fileBytes, keys.bytes());
  }

  void delete(KeyValue row, long at) {
    keys.delete(row.getKey(), at);
    leases.move(row.getKey(), row.getLease(), 0);
    fileBytes = Math.max(fileBytes, keys.bytes());
  }

  void advance() {
    revision++;
  }

  /** Deletes a lease and its keys, all under one revision. */
  void revoke(LeaseTable.Entry lease) {
    List<ByteString> bound = List.copyOf(lease.keys());
    bound.forEach(key -> keys.get(key, revision + 1).ifPresent(row -> delete(row, revision + 1)));
    if (!bound.isEmpty()) {
      advance();
    }
    leases.remove(lease.id());
  }

  void compact(long at) {
    if (at <= compacted) {
      throw EtcdErrors.compacted();
    }
    if (at > revision) {
      throw EtcdErrors.futureRevision();
    }
    compacted = at;
    keys.compact(at);
  }

  /** The length of the file. Compaction leaves it as it is. */
  long fileBytes() {
    return fileBytes;
  }

  long bytesInUse() {
    return keys.bytes();
  }

  void defragment() {
    fileBytes = keys.bytes();
  }

  boolean spaceAlarm() {
    return spaceAlarm;
  }

  void setSpaceAlarm(boolean raised) {
    spaceAlarm = raised;
  }
}
