package dev.plinth.standalone.uniqueness;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** Dense ids that were seen, a bit each. */
final class SeenBits implements Seen {
  private static final int CHUNK_BITS = 20;
  private static final long IN_CHUNK = (1L << CHUNK_BITS) - 1;

  private final Map<Long, AtomicLongArray> chunks = new ConcurrentHashMap<>();

  @Override
  public boolean add(long id) {
    AtomicLongArray chunk =
        chunks.computeIfAbsent(
            id >> CHUNK_BITS, n -> new AtomicLongArray((int) (IN_CHUNK + 1) / Long.SIZE));
    long bit = 1L << id;
    return (chunk.getAndUpdate((int) (id & IN_CHUNK) / Long.SIZE, word -> word | bit) & bit) == 0;
  }

  @Override
  public long count() {
    long count = 0;
    for (AtomicLongArray chunk : chunks.values()) {
      for (int i = 0; i < chunk.length(); i++) {
        count += Long.bitCount(chunk.get(i));
      }
    }
    return count;
  }
}
