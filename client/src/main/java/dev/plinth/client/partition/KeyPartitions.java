package dev.plinth.client.partition;

import java.nio.charset.StandardCharsets;

/**
 * Which partition a key belongs to: FNV-1a of 64 bits over its UTF-8, mixed as by MurmurHash3, and
 * of that, unsigned, the remainder by the number of partitions. It is the same in every process and
 * every version.
 */
public final class KeyPartitions {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final long MIX_1 = 0xff51afd7ed558ccdL;
  private static final long MIX_2 = 0xc4ceb9fe1a85ec53L;
  private static final int MIX_SHIFT = 33;
  private static final int BYTE = 0xff;

  private KeyPartitions() {}

  public static int of(String key, int count) {
    long hash = FNV_OFFSET;
    for (byte each : key.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ each & BYTE) * FNV_PRIME;
    }
    hash = (hash ^ hash >>> MIX_SHIFT) * MIX_1;
    hash = (hash ^ hash >>> MIX_SHIFT) * MIX_2;
    return (int) Long.remainderUnsigned(hash ^ hash >>> MIX_SHIFT, count);
  }
}
