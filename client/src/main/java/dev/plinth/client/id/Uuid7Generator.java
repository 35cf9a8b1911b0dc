package dev.plinth.client.id;

import dev.plinth.machine.Machine;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;

/**
 * UUIDs of version 7 (RFC 9562): 48 bits of time in milliseconds and 74 of chance. Made offline and
 * without locks; order and chance as with {@link UlidGenerator}, by the RFC's method 2: within a
 * millisecond, and while the clock is behind, the chance part counts on.
 */
public final class Uuid7Generator {
  private static final long VERSION = 0x7000;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long RAND_A = 0x0FFF;
  private static final long RAND_B = 0x3FFF_FFFF_FFFF_FFFFL;
  private static final int TIME_SHIFT = 16;

  private final InstantSource clock;
  private final RandomGenerator random;
  private final AtomicReference<UUID> last = new AtomicReference<>(new UUID(VERSION, VARIANT));

  public Uuid7Generator() {
    this(Machine.system().wall(), Machine.system().secureRandom());
  }

  /**
   * @param random safe for the threads that make ids
   */
  public Uuid7Generator(InstantSource clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
  }

  public UUID next() {
    return last.updateAndGet(before -> after(before, Time48.checked(clock.millis())));
  }

  private UUID after(UUID before, long now) {
    long high = before.getMostSignificantBits();
    long low = before.getLeastSignificantBits();
    long time = high >>> TIME_SHIFT;
    if (now > time) {
      return fresh(now);
    }
    if ((low & RAND_B) != RAND_B) {
      return new UUID(high, low + 1);
    }
    return (high & RAND_A) != RAND_A
        ? new UUID(high + 1, VARIANT)
        : fresh(Time48.checked(time + 1));
  }

  private UUID fresh(long time) {
    return new UUID(
        time << TIME_SHIFT | VERSION | random.nextLong() & RAND_A,
        VARIANT | random.nextLong() & RAND_B);
  }
}
