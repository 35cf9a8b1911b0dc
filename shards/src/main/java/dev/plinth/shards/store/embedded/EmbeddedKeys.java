package dev.plinth.shards.store.embedded;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Where things lie in the one key space: {@code m} + shard is its meta, {@code r} + shard + key a
 * row.
 */
final class EmbeddedKeys {
  static final byte[] SHARDS = "shards".getBytes(StandardCharsets.UTF_8);

  /** Written to see whether anything can be. */
  static final byte[] TRIAL = "trial".getBytes(StandardCharsets.UTF_8);

  private static final int PREFIX = 1 + Integer.BYTES;

  private EmbeddedKeys() {}

  static byte[] meta(int shard) {
    return ByteBuffer.allocate(PREFIX).put((byte) 'm').putInt(shard).array();
  }

  static byte[] rows(int shard) {
    return ByteBuffer.allocate(PREFIX).put((byte) 'r').putInt(shard).array();
  }

  static byte[] row(int shard, String key) {
    byte[] name = key.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(PREFIX + name.length)
        .put((byte) 'r')
        .putInt(shard)
        .put(name)
        .array();
  }

  static String name(byte[] row) {
    return new String(row, PREFIX, row.length - PREFIX, StandardCharsets.UTF_8);
  }

  /** The first key behind all that begin with a shard's prefix. */
  static byte[] after(byte[] prefix) {
    ByteBuffer end = ByteBuffer.wrap(prefix.clone());
    end.putInt(1, end.getInt(1) + 1);
    return end.array();
  }

  static byte[] number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  static long number(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }
}
