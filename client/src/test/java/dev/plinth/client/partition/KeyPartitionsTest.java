package dev.plinth.client.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KeyPartitionsTest {
  @Test
  void partitionOfAKey_neverChanges() {
    assertEquals(
        List.of(38, 27, 41, 33),
        Stream.of("", "a", "customer-17", "größe").map(key -> KeyPartitions.of(key, 64)).toList());
  }

  @Test
  void keys_areSpreadEvenly() {
    int[] counts = new int[16];
    IntStream.range(0, 16_000).forEach(i -> counts[KeyPartitions.of("key-" + i, 16)]++);
    for (int count : counts) {
      assertTrue(count > 850 && count < 1150, "of 1000: " + count); // 4.7 standard deviations
    }
  }
}
