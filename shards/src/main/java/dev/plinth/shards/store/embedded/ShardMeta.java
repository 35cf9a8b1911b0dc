package dev.plinth.shards.store.embedded;

import java.nio.ByteBuffer;

/** What is kept about a shard beside its rows: the epoch of the last claim and the last commit. */
record ShardMeta(long epoch, long revision) {
  static final ShardMeta NEW = new ShardMeta(0, 0);
  private static final byte FORMAT = 1;

  byte[] encode() {
    return ByteBuffer.allocate(17).put(FORMAT).putLong(epoch).putLong(revision).array();
  }

  static ShardMeta decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte format = in.get();
    if (format != FORMAT) {
      throw new IllegalStateException(
          "shard meta format " + format + " (expected: " + FORMAT + ")");
    }
    return new ShardMeta(in.getLong(), in.getLong());
  }
}
