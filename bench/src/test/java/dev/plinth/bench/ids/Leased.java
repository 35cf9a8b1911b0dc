package dev.plinth.bench.ids;

import static dev.plinth.bench.ids.Maker.MANY;

import dev.plinth.bench.BenchRedis;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.id.RangeIdGenerator;
import dev.plinth.client.id.SnowflakeIdGenerator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import me.ahoo.cosid.segment.IdSegment;
import me.ahoo.cosid.segment.SegmentChainId;
import me.ahoo.cosid.segment.concurrent.PrefetchWorkerExecutorService;

/** Makers that fetch many ids from a store at a time and hand them out one by one. */
final class Leased implements AutoCloseable {
  static final String ATOMIC_LONG = "AtomicLong";
  static final String COSID_CHAIN = "CosId segment chain on Redis, step %,d";
  static final String RANGE_IDS = "Plinth RangeIds";

  // Kept, or its level would be lost with it: it tells of every prefetch that came late.
  private static final Logger COSID = Logger.getLogger("me.ahoo.cosid");

  private final PrefetchWorkerExecutorService prefetch =
      new PrefetchWorkerExecutorService(PrefetchWorkerExecutorService.DEFAULT_PREFETCH_PERIOD, 1);

  private final PlinthClient client;

  /** From the server at the target, which has the namespaces. */
  Leased(String target) {
    client = PlinthClient.connect(target);
    COSID.setLevel(Level.WARNING);
  }

  /** Leased from nobody: what no counter that threads share can beat. */
  Maker atomicLong() {
    AtomicLong counter = new AtomicLong();
    return Maker.narrow(
        ATOMIC_LONG,
        given -> {
          for (int i = 0; i < MANY; i++) {
            given.add(counter.incrementAndGet());
          }
          return MANY;
        });
  }

  Maker segmentChain(BenchRedis redis, long step) {
    SegmentChainId ids =
        new SegmentChainId(
            IdSegment.TIME_TO_LIVE_FOREVER,
            SegmentChainId.DEFAULT_SAFE_DISTANCE,
            new RedisSegments(redis.commands(), step),
            prefetch);
    return Maker.narrow(
        COSID_CHAIN.formatted(step),
        given -> {
          for (int i = 0; i < MANY; i++) {
            given.add(ids.generate());
          }
          return MANY;
        });
  }

  Maker rangeIds(String namespace) throws InterruptedException {
    RangeIdGenerator ids = client.ids().range(namespace);
    return Maker.narrow(
            RANGE_IDS,
            given -> {
              for (int i = 0; i < MANY; i++) {
                given.add(ids.next());
              }
              return MANY;
            })
        .asOurs();
  }

  Maker rangeIdsByHundreds(String namespace) throws InterruptedException {
    RangeIdGenerator ids = client.ids().range(namespace);
    return new Maker(
        RANGE_IDS + ", next(long[100])",
        Maker.Width.NARROW,
        true,
        caller -> {
          long[] some = new long[100];
          return given -> {
            for (int i = 0; i < MANY; i += some.length) {
              ids.next(some);
              for (long id : some) {
                given.add(id);
              }
            }
            return MANY;
          };
        });
  }

  Maker snowflakeIds(String namespace) throws InterruptedException {
    SnowflakeIdGenerator ids = client.ids().snowflake(namespace);
    return Maker.narrow(
            "Plinth SnowflakeIds, 18 bits of sequence",
            given -> {
              for (int i = 0; i < MANY; i++) {
                given.add(ids.next());
              }
              return MANY;
            })
        .asOurs();
  }

  /** Gives back what was leased. */
  @Override
  public void close() {
    client.close();
    prefetch.shutdown();
  }
}
