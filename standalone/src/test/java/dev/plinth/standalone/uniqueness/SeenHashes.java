package dev.plinth.standalone.uniqueness;

import java.util.Arrays;

/**
 * Ids from a wide range that were seen: open addressing, as a set of boxed ones would be too big.
 */
final class SeenHashes implements Seen {
  private static final long FREE = -1;
  private static final int FIRST_SIZE = 1 << 16;
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  private long[] slots = free(FIRST_SIZE);
  private int count;

  private static long[] free(int size) {
    long[] slots = new long[size];
    Arrays.fill(slots, FREE);
    return slots;
  }

  @Override
  public synchronized boolean add(long id) {
    if (count > slots.length / 3 * 2) {
      long[] old = slots;
      slots = free(2 * old.length);
      for (long kept : old) {
        if (kept != FREE) {
          put(kept);
        }
      }
    }
    boolean fresh = put(id);
    count += fresh ? 1 : 0;
    return fresh;
  }

  private boolean put(long id) {
    int mask = slots.length - 1;
    int at = (int) (id * SPREAD >>> 32) & mask;
    while (slots[at] != FREE) {
      if (slots[at] == id) {
        return false;
      }
      at = at + 1 & mask;
    }
    slots[at] = id;
    return true;
  }

  @Override
  public synchronized long count() {
    return count;
  }
}
