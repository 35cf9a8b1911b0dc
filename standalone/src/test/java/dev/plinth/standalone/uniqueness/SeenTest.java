package dev.plinth.standalone.uniqueness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What checks the ids is checked against a plain set. */
class SeenTest {
  @Test
  void bits_areASet() {
    assertSet(new SeenBits(), new Random(1), 3_000_000);
  }

  @Test
  void hashes_areASet() {
    assertSet(new SeenHashes(), new Random(2), Long.MAX_VALUE);
    assertSet(new SeenHashes(), new Random(3), 200_000);
  }

  private static void assertSet(Seen seen, Random random, long below) {
    Set<Long> plain = new HashSet<>();
    for (int i = 0; i < 300_000; i++) {
      long id = random.nextLong() >>> 1;
      id = id % below;
      assertEquals(plain.add(id), seen.add(id));
    }
    assertEquals(plain.size(), seen.count());
    long known = plain.iterator().next();
    assertFalse(seen.add(known));
    assertTrue(seen.count() > 100_000);
  }
}
