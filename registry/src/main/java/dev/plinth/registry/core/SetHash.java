package dev.plinth.registry.core;

import java.nio.charset.StandardCharsets;

/**
 * The checksum of a set: the sum of a hash of each entry, so that an entry that comes, changes or
 * goes costs the same however many there are. Who folds a watch can compare it; the proto says how
 * an entry is written.
 */
final class SetHash {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private SetHash() {}

  static long of(Object... parts) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < parts.length; i++) {
      if (i > 0) {
        hash = (hash ^ '\n') * FNV_PRIME;
      }
      for (byte b : parts[i].toString().getBytes(StandardCharsets.UTF_8)) {
        hash = (hash ^ (b & 0xff)) * FNV_PRIME;
      }
    }
    return mix(hash);
  }

  /** Without it, entries that differ in their last characters would nearly cancel out in a sum. */
  private static long mix(long hash) {
    long mixed = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}
