package dev.plinth.standalone.uniqueness;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.id.IdsUnavailableException;
import dev.plinth.client.id.RangeIdGenerator;
import dev.plinth.client.id.RangeOptions;
import dev.plinth.client.id.SnowflakeIdGenerator;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.IdServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

/**
 * One way to take ids each, for a while: a turn ends by itself or with the server. What a taker
 * gets must rise for it, and must be new to all.
 */
final class Takers {
  static final String DENSE = "orders";
  static final String FLAKES = "events";
  private static final RangeOptions PATIENT =
      RangeOptions.defaults().timeout(Duration.ofSeconds(1));

  private final Seen dense = new SeenBits();
  private final Seen flakes = new SeenHashes();
  private volatile boolean ended;

  /** Turns under way come to their end soon. */
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  Seen dense() {
    return dense;
  }

  Seen flakes() {
    return flakes;
  }

  /** One by one, or a few, at the server. */
  void allocate(ManagedChannel channel, String namespace, RandomGenerator random) {
    IdServiceGrpc.IdServiceBlockingStub ids = IdServiceGrpc.newBlockingStub(channel);
    long last = -1;
    for (int i = 0; i < 100 && !ended; i++) {
      AllocateResponse answer;
      try {
        answer =
            ids.withDeadlineAfter(5, TimeUnit.SECONDS)
                .allocate(
                    AllocateRequest.newBuilder()
                        .setNamespace(namespace)
                        .setCount(random.nextInt(1, 50))
                        .build());
      } catch (StatusRuntimeException e) {
        idle(random);
        return;
      }
      boolean counted = answer.getStep() > 0;
      long[] given =
          counted
              ? LongStream.range(answer.getFirst(), answer.getFirst() + answer.getCount()).toArray()
              : answer.getIdsList().stream().mapToLong(Long::longValue).toArray();
      // After a takeover the server has another worker id: only dense ids rise for a caller then.
      last = check(counted ? dense : flakes, given, counted ? last : -1);
    }
  }

  /** Ranges, in bulk and one by one; what is left goes back at the end of each turn. */
  void range(PlinthClient client, RandomGenerator random) throws InterruptedException {
    try (RangeIdGenerator ids = client.ids().range(DENSE, PATIENT)) {
      long last = -1;
      for (int i = random.nextInt(2000); i > 0 && !ended; i--) {
        long[] some = new long[random.nextInt(1, 2000)];
        ids.next(some);
        last = check(dense, some, last);
        last = check(dense, new long[] {ids.next()}, last);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    } catch (IdsUnavailableException | CallFailedException e) {
      idle(random);
    }
  }

  /** A worker id of its own, kept or given back. */
  void flake(PlinthClient client, RandomGenerator random) throws InterruptedException {
    try (SnowflakeIdGenerator ids = client.ids().snowflake(FLAKES)) {
      long last = -1;
      for (int i = random.nextInt(1000); i > 0 && !ended; i--) {
        long[] some = new long[random.nextInt(1, 20)];
        try {
          ids.next(some);
          last = check(flakes, some, last);
        } catch (IdsUnavailableException e) {
          idle(random);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
      }
    } catch (IdsUnavailableException | CallFailedException e) {
      idle(random);
    }
  }

  private static long check(Seen seen, long[] ids, long before) {
    long last = before;
    for (long id : ids) {
      long lower = last;
      assertTrue(id > lower, () -> id + " after " + lower);
      assertTrue(seen.add(id), () -> "twice: " + id);
      last = id;
    }
    return last;
  }

  private static void idle(RandomGenerator random) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextLong(1, 50)));
  }
}
