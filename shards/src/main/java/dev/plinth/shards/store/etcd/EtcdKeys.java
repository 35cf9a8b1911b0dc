package dev.plinth.shards.store.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import java.util.Optional;

/**
 * Where things lie under the prefix, for {@code etcdctl get --prefix}: {@code shards} is their
 * number, {@code nodes/...} those that live, {@code owners/0003} the node that owns one, {@code
 * revisions/0003} the number of its last commit, {@code rows/0003/...} its rows.
 */
final class EtcdKeys {
  private final String prefix;

  EtcdKeys(String prefix) {
    this.prefix = prefix;
  }

  ByteSequence shards() {
    return bytes(prefix + "shards");
  }

  /** Written with every bundle of commits, for {@link CommitBundler}' sake. */
  ByteSequence bundles() {
    return bytes(prefix + "bundles");
  }

  /** What the keys of all nodes begin with. */
  ByteSequence nodes() {
    return bytes(prefix + "nodes/");
  }

  /** By the lease of its session: a name may be given twice, and outlives a crash. */
  ByteSequence node(long lease) {
    return bytes(prefix + "nodes/" + id(lease));
  }

  static String id(long lease) {
    return Long.toHexString(lease);
  }

  /** What the keys of all owners begin with. */
  ByteSequence owners() {
    return bytes(prefix + "owners/");
  }

  ByteSequence owner(int shard) {
    return bytes(prefix + "owners/" + padded(shard));
  }

  int ownedShard(ByteSequence owner) {
    return Integer.parseInt(text(owner.substring(owners().size())));
  }

  /** What the keys of all revisions begin with. */
  ByteSequence revisions() {
    return bytes(prefix + "revisions/");
  }

  int committedShard(ByteSequence revision) {
    return Integer.parseInt(text(revision.substring(revisions().size())));
  }

  ByteSequence revision(int shard) {
    return bytes(prefix + "revisions/" + padded(shard));
  }

  /** What the keys of all rows of a shard begin with. */
  ByteSequence rows(int shard) {
    return bytes(prefix + "rows/" + padded(shard) + "/");
  }

  /** The first key behind all rows of a shard: 0 follows /. */
  ByteSequence rowsEnd(int shard) {
    return bytes(prefix + "rows/" + padded(shard) + "0");
  }

  /** Padded for the eye and the order; it is the slash that keeps shards apart. */
  private static String padded(int shard) {
    return "%04d".formatted(shard);
  }

  static ByteSequence bytes(String text) {
    return ByteSequence.from(text, UTF_8);
  }

  static String text(ByteSequence bytes) {
    return bytes.toString(UTF_8);
  }

  static Optional<KeyValue> only(GetResponse found) {
    return found.getKvs().stream().findFirst();
  }

  /** The number in a row, 0 where there is none. */
  static long number(GetResponse found) {
    return only(found).map(row -> Long.parseLong(text(row.getValue()))).orElse(0L);
  }
}
