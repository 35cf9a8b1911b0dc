package dev.plinth.shards;

import java.nio.charset.StandardCharsets;

/** A well mixed 64-bit digest. Stored data depends on it: it never changes. */
public final class Fingerprint {
  private Fingerprint() {}

  /** FNV-1a, whose low bits alone are poor, with the finisher of SplitMix64. */
  public static long of(byte[] bytes) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    hash = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
    hash = (hash ^ hash >>> 27) * 0x94d049bb133111ebL;
    return hash ^ hash >>> 31;
  }

  /** Which shard a key belongs to. */
  static int shardOf(String key, int shards) {
    return (int) Long.remainderUnsigned(of(key.getBytes(StandardCharsets.UTF_8)), shards);
  }
}
