package dev.plinth.bench.ids;

import static dev.plinth.bench.ids.Maker.MANY;

import dev.plinth.bench.BenchRedis;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import me.ahoo.cosid.segment.IdSegment;
import me.ahoo.cosid.segment.SegmentChainId;
import me.ahoo.cosid.segment.concurrent.PrefetchWorkerExecutorService;

/** Makers that fetch many ids from a store at a time and hand them out one by one. */
final class Leased implements AutoCloseable {
  // Kept, or its level would be lost with it: it tells of every prefetch that came late.
  private static final Logger COSID = Logger.getLogger("me.ahoo.cosid");

  private final PrefetchWorkerExecutorService prefetch =
      new PrefetchWorkerExecutorService(PrefetchWorkerExecutorService.DEFAULT_PREFETCH_PERIOD, 1);

  Leased() {
    COSID.setLevel(Level.WARNING);
  }

  /** Leased from nobody: what no counter that threads share can beat. */
  Maker atomicLong() {
    AtomicLong counter = new AtomicLong();
    return Maker.narrow(
        "AtomicLong",
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
        "CosId segment chain on Redis, step %,d".formatted(step),
        given -> {
          for (int i = 0; i < MANY; i++) {
            given.add(ids.generate());
          }
          return MANY;
        });
  }

  @Override
  public void close() {
    prefetch.shutdown();
  }
}
