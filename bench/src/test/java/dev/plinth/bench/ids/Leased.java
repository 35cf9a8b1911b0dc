package dev.plinth.bench.ids;

import static dev.plinth.bench.ids.Maker.MANY;

import dev.plinth.bench.BenchRedis;
import java.util.concurrent.atomic.AtomicLong;
import me.ahoo.cosid.segment.SegmentChainId;

/** Makers that fetch many ids from a store at a time and hand them out one by one. */
final class Leased {
  private Leased() {}

  /** Leased from nobody: what no counter that threads share can beat. */
  static Maker atomicLong() {
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

  static Maker segmentChain(BenchRedis redis, long step) {
    SegmentChainId ids = new SegmentChainId(new RedisSegments(redis.commands(), step));
    return Maker.narrow(
        "CosId segment chain on Redis, step %,d".formatted(step),
        given -> {
          for (int i = 0; i < MANY; i++) {
            given.add(ids.generate());
          }
          return MANY;
        });
  }
}
