package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OfflineIdsTest {
  private static final int MANY = 20_000;
  private static final RandomGenerator ALL_ONES = () -> -1L;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));

  /** Steps of 1 ms to 1 h, forward and back, between ids. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void I2_idsRise_whateverTheClockDoes(long seed) {
    Random random = new Random(seed);
    UlidGenerator ulidGenerator = new UlidGenerator(clock, random);
    Uuid7Generator uuids = new Uuid7Generator(clock, random);
    Ulid ulid = ulidGenerator.next();
    UUID uuid = uuids.next();
    Set<Object> all = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      if (random.nextInt(4) == 0) {
        long ms = 1 + (long) Math.pow(3_600_000, random.nextDouble());
        clock.stepWall(Duration.ofMillis(random.nextBoolean() ? ms : -ms));
      }
      Ulid nextUlid = ulidGenerator.next();
      UUID nextUuid = uuids.next();
      assertTrue(nextUlid.compareTo(ulid) > 0, ulid + " then " + nextUlid);
      assertTrue(nextUlid.toString().compareTo(ulid.toString()) > 0);
      assertTrue(nextUuid.compareTo(uuid) > 0, uuid + " then " + nextUuid);
      assertTrue(nextUuid.toString().compareTo(uuid.toString()) > 0);
      assertTrue(all.add(nextUlid) & all.add(nextUuid));
      ulid = nextUlid;
      uuid = nextUuid;
      assertEquals(7, uuid.version());
      assertEquals(2, uuid.variant());
      assertTrue(time(uuid) >= clock.millis() && !ulid.time().isBefore(clock.instant()));
    }
  }

  @Test
  void layout_isTheSpecifications() {
    RandomGenerator fixed = () -> 0x0123_4567_89AB_CDEFL;
    Instant at = Instant.ofEpochMilli(0x017F_22E2_79B0L); // the time of RFC 9562's example
    clock.stepWall(Duration.between(clock.instant(), at));
    UUID uuid = new Uuid7Generator(clock, fixed).next();
    assertEquals("017f22e2-79b0-7def-8123-456789abcdef", uuid.toString());
    Ulid ulid = new UlidGenerator(clock, fixed).next();
    assertEquals(0x017F_22E2_79B0_0123L, ulid.high());
    assertEquals(0x0123_4567_89AB_CDEFL, ulid.low());
    assertEquals(at, ulid.time());
    assertEquals(new UUID(ulid.high(), ulid.low()), ulid.toUuid());
  }

  @Test
  void text_isTheSpecifications() {
    // The highest one there may be, and one by hand: 5 bits a character, the first has 3.
    assertEquals("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", new Ulid(-1, -1).toString());
    assertEquals("00000000000000000000000001", new Ulid(0, 1).toString());
    assertEquals("0000000000000G000000000000", new Ulid(1, 0).toString());
    Random random = new Random(1);
    for (int i = 0; i < 1000; i++) {
      Ulid ulid = new Ulid(random.nextLong(), random.nextLong());
      assertEquals(ulid, Ulid.parse(ulid.toString()));
      assertEquals(ulid, Ulid.parse(ulid.toString().toLowerCase(java.util.Locale.ROOT)));
    }
    for (String bad :
        List.of("", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "0000000000000000000000000U", "0")) {
      assertThrows(IllegalArgumentException.class, () -> Ulid.parse(bad));
    }
  }

  @Test
  void fullChance_movesTimeAhead() {
    UlidGenerator ulidGenerator = new UlidGenerator(clock, ALL_ONES);
    Uuid7Generator uuids = new Uuid7Generator(clock, ALL_ONES);
    for (int i = 0; i < 5; i++) {
      assertEquals(clock.instant().plusMillis(i), ulidGenerator.next().time());
      UUID uuid = uuids.next();
      assertEquals(clock.millis() + i, time(uuid));
      assertEquals(7, uuid.version());
      assertEquals(2, uuid.variant());
    }
  }

  @Test
  void chanceCountsOn_overItsWords() {
    UlidGenerator ulidGenerator = new UlidGenerator(clock, new Words(0x7L << 48, -1L));
    Ulid full = ulidGenerator.next();
    assertEquals(-1, full.low());
    assertEquals(new Ulid(full.high() + 1, 0), ulidGenerator.next());
    Uuid7Generator uuids = new Uuid7Generator(clock, new Words(0x7L, -1L));
    UUID uuid = uuids.next();
    UUID next = uuids.next();
    assertEquals(uuid.getMostSignificantBits() + 1, next.getMostSignificantBits());
    assertEquals(Long.MIN_VALUE, next.getLeastSignificantBits());
  }

  @Test
  void timeBeyond48Bits_isRefused() {
    clock.stepWall(Duration.ofMillis((1L << 48) - clock.millis()));
    assertThrows(IllegalStateException.class, () -> new UlidGenerator(clock, ALL_ONES).next());
    assertThrows(IllegalStateException.class, () -> new Uuid7Generator(clock, ALL_ONES).next());
  }

  @Test
  void I1_threads_neverGetTheSame_andEachSeesThemRise() {
    UlidGenerator ulidGenerator = new UlidGenerator();
    Uuid7Generator uuids = new Uuid7Generator();
    Set<Object> all = ConcurrentHashMap.newKeySet();
    CompletableFuture<?>[] threads =
        IntStream.range(0, 4)
            .mapToObj(
                t ->
                    CompletableFuture.runAsync(
                        () -> {
                          Ulid ulid = ulidGenerator.next();
                          UUID uuid = uuids.next();
                          for (int i = 0; i < MANY; i++) {
                            Ulid nextUlid = ulidGenerator.next();
                            UUID nextUuid = uuids.next();
                            assertTrue(nextUlid.compareTo(ulid) > 0);
                            assertTrue(nextUuid.compareTo(uuid) > 0);
                            ulid = nextUlid;
                            uuid = nextUuid;
                            all.addAll(Arrays.asList(ulid, uuid));
                          }
                        }))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(threads).join();
    assertEquals(4 * MANY * 2, all.size());
  }

  private static long time(UUID uuid) {
    return uuid.getMostSignificantBits() >>> 16;
  }

  /** These words, over and over. */
  private static final class Words implements RandomGenerator {
    private final long[] words;
    private int next;

    Words(long... words) {
      this.words = words;
    }

    @Override
    public long nextLong() {
      return words[next++ % words.length];
    }
  }
}
