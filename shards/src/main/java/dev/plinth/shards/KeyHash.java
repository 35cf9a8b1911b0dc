package dev.plinth.shards;

import java.nio.charset.StandardCharsets;

/** Which shard a key belongs to. Stored data depends on it: it never changes. */
final class KeyHash {
  private KeyHash() {}

  static int shardOf(String key, int shards) {
    return (int) Long.remainderUnsigned(mix(fnv1a(key.getBytes(StandardCharsets.UTF_8))), shards);
  }

  private static long fnv1a(byte[] bytes) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    return hash;
  }

  /** FNV's low bits alone are poor; this is the finisher of SplitMix64. */
  private static long mix(long hash) {
    hash = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
    hash = (hash ^ hash >>> 27) * 0x94d049bb133111ebL;
    return hash ^ hash >>> 31;
  }
}
