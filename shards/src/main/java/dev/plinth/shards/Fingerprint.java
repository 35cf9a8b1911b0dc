package dev.plinth.shards;

import java.nio.charset.StandardCharsets;

/** A well mixed 64-bit digest. Stored data depends on it: it never changes. */
public final class Fingerprint {
  private static final long OFFSET = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private Fingerprint() {}

  public static long of(byte[] bytes) {
    return mixed(fnv1a(OFFSET, bytes));
  }

  /**
   * Of a request: two messages of different types may have the same bytes.
   *
   * @param type its full name, in ASCII
   */
  public static long of(String type, byte[] message) {
    long hash = OFFSET;
    for (int i = 0; i < type.length(); i++) {
      hash = (hash ^ type.charAt(i)) * PRIME;
    }
    return mixed(fnv1a(hash * PRIME, message));
  }

  private static long fnv1a(long from, byte[] bytes) {
    long hash = from;
    for (byte b : bytes) {
      hash = (hash ^ (b & 0xff)) * PRIME;
    }
    return hash;
  }

  /** The low bits of FNV-1a alone are poor; this is the finisher of SplitMix64. */
  private static long mixed(long fnv) {
    long hash = fnv;
    hash = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
    hash = (hash ^ hash >>> 27) * 0x94d049bb133111ebL;
    return hash ^ hash >>> 31;
  }

  /** Which shard a key belongs to. */
  static int shardOf(String key, int shards) {
    return (int) Long.remainderUnsigned(of(key.getBytes(StandardCharsets.UTF_8)), shards);
  }
}
