package dev.plinth.shards;

import dev.plinth.shards.store.ShardStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** Every meter of the shards, summed over those that this node serves. */
final class ShardMetrics {
  private final Timer commit;
  private final DistributionSummary batch;
  private final Timer timerLag;
  private final Counter overloaded;
  private final Counter dropped;

  ShardMetrics(MeterRegistry registry) {
    commit =
        Timer.builder("plinth.shards.commit")
            .description("From sending a commit to knowing that it is durable")
            .publishPercentileHistogram()
            .register(registry);
    batch =
        DistributionSummary.builder("plinth.shards.commit.writes")
            .description("Rows written by one commit")
            .register(registry);
    timerLag =
        Timer.builder("plinth.shards.timer.lag")
            .description("How late expiries and other timers ran")
            .register(registry);
    overloaded =
        Counter.builder("plinth.shards.overloaded")
            .description("Commands refused since their shard's queue was full")
            .register(registry);
    dropped =
        Counter.builder("plinth.shards.dropped")
            .description("Shards given up: deposed, or a commit failed")
            .register(registry);
  }

  void watch(MeterRegistry registry, Shards shards, ShardStore store) {
    Gauge.builder("plinth.shards.served", () -> shards.served().size())
        .description("Shards that this node owns and serves")
        .register(registry);
    Gauge.builder("plinth.shards.queue", shards::queued)
        .description("Commands waiting at all shards")
        .register(registry);
    Gauge.builder("plinth.shards.authority.seconds", () -> authorityLeft(store))
        .description("Time left in which no other node can own our shards")
        .register(registry);
  }

  void committed(int writes, long nanos) {
    batch.record(writes);
    commit.record(nanos, TimeUnit.NANOSECONDS);
  }

  void fired(long lateNanos) {
    timerLag.record(lateNanos, TimeUnit.NANOSECONDS);
  }

  void refused() {
    overloaded.increment();
  }

  void dropped() {
    dropped.increment();
  }

  private static double authorityLeft(ShardStore store) {
    long left = store.authorityUntil() - System.nanoTime();
    return Math.max(0, left) / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
