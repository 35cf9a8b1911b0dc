package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A random walk: ids one by one and in bulk, clocks that jump and drift apart, a server that is
 * away, worker ids that are lost and taken up again above their ceiling, a process that is
 * suspended.
 */
class SnowflakeIdGeneratorPropertyTest {
  private static final int STEPS = 10_000;
  private static final int WORKERS = 4;

  private final ScriptedIds server = new ScriptedIds();
  private final Set<Long> all = new HashSet<>();
  // By worker, the highest time that its holder may have used.
  private final Map<Integer, Long> ceilings = new HashMap<>();
  private Random random;
  private Duration stepped = Duration.ZERO;
  private long last = -1;

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void I1_I2_I4_I5_holdForEveryId(long seed) throws Exception {
    random = new Random(seed);
    SnowflakeIdGenerator ids = server.ids().snowflake("events");
    for (int i = 0; i < STEPS; i++) {
      step(ids);
    }
    assertTrue(all.size() > 1000 && server.renewals > 50, "the walk is too tame");
  }

  private void step(SnowflakeIdGenerator ids) {
    switch (random.nextInt(40)) {
      case 0 -> stepWall();
      case 1 -> server.skew = random.nextBoolean() ? Duration.ZERO : jump();
      case 2 -> server.failure = random.nextInt(4) == 0 ? Status.UNAVAILABLE : Status.OK;
      case 3 -> lose();
      case 4 -> server.suspend(Duration.ofMillis(random.nextInt(30_000)));
      case 5 -> server.atNextLook(() -> server.suspend(Duration.ofSeconds(random.nextInt(60))));
      case 6, 7, 8, 9, 10, 11 -> server.clock.advance(Duration.ofMillis(random.nextInt(20_000)));
      default -> make(ids);
    }
    ceilings.merge(server.told.getWorkerId(), server.told.getCeilingMs(), Math::max);
  }

  /** Away from the right time, or back to it. */
  private void stepWall() {
    Duration to = random.nextBoolean() ? Duration.ZERO : jump();
    server.clock.stepWall(to.minus(stepped));
    stepped = to;
  }

  /** 1 ms to 1 h, short ones more often, forward or back. */
  private Duration jump() {
    long ms = (long) Math.pow(3_600_000, random.nextDouble());
    return Duration.ofMillis(random.nextBoolean() ? ms : -ms);
  }

  /** The next one to be had was used before, up to its ceiling. */
  private void lose() {
    server.lost = true;
    server.hired = random.nextInt(WORKERS);
    long never = server.layout.getEpochMs() - 1;
    server.floor = ceilings.getOrDefault(server.hired + 1, never);
  }

  private void make(SnowflakeIdGenerator ids) {
    long[] made = new long[1 + random.nextInt(3)];
    try {
      ids.next(made);
    } catch (IdsUnavailableException e) {
      return;
    }
    Duration age = Duration.ofNanos(server.nanos() - server.toldAt);
    assertTrue(age.compareTo(ScriptedIds.TTL) < 0, () -> "made " + age + " after the last renewal");
    for (long id : made) {
      Snowflake parts = ids.parse(id);
      long time = parts.time().toEpochMilli();
      assertTrue(all.add(id), () -> "twice: " + parts);
      assertTrue(id > last, () -> "not above the one before: " + parts);
      assertTrue(parts.worker() == server.told.getWorkerId(), () -> "of another: " + parts);
      assertTrue(
          time > server.told.getFloorMs() && time <= server.told.getCeilingMs(),
          () -> parts + " outside of " + server.told);
      last = id;
    }
  }
}
