package dev.plinth.client.id;

import dev.plinth.machine.Machine;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;

/**
 * ULIDs, made offline and without locks. Each is higher than all that this object made before it,
 * whatever the clock does: within a millisecond, and while the clock is behind, the chance part
 * counts on, and when that is full the time moves ahead by one.
 *
 * <p>Unique by chance only: two objects that make ids in the same millisecond start at random among
 * 2^80 places. The ids of one millisecond follow each other, so they are no secrets.
 */
public final class UlidGenerator {
  private static final int CHANCE_HIGH_BITS = 16;

  private final InstantSource clock;
  private final RandomGenerator random;
  private final AtomicReference<Ulid> last = new AtomicReference<>(new Ulid(0, 0));

  public UlidGenerator() {
    this(Machine.system().wall(), Machine.system().secureRandom());
  }

  /**
   * @param random safe for the threads that make ids
   */
  public UlidGenerator(InstantSource clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
  }

  public Ulid next() {
    return last.updateAndGet(before -> after(before, Time48.checked(clock.millis())));
  }

  private Ulid after(Ulid before, long now) {
    long time = before.high() >>> CHANCE_HIGH_BITS;
    if (now > time) {
      return fresh(now);
    }
    if (before.low() != -1) {
      return new Ulid(before.high(), before.low() + 1);
    }
    boolean full = (before.high() + 1) >>> CHANCE_HIGH_BITS != time;
    return full ? fresh(Time48.checked(time + 1)) : new Ulid(before.high() + 1, 0);
  }

  private Ulid fresh(long time) {
    return new Ulid(
        time << CHANCE_HIGH_BITS | random.nextLong() >>> Long.SIZE - CHANCE_HIGH_BITS,
        random.nextLong());
  }
}
