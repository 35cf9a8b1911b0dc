package dev.plinth.shards;

import dev.plinth.shards.store.ShardStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Every meter of the shards, summed over those that this node serves. */
final class ShardMetrics {
  private final LongSupplier nanos;
  private final Timer commit;
  private final DistributionSummary batch;
  private final Timer timerLag;
  private final Counter overloaded;
  private final Counter dropped;
  private final Counter given;
  private final Timer takeover;
  private final Timer wait;
  private final Map<ForwardOutcome, Counter> forwarded = new EnumMap<>(ForwardOutcome.class);

  ShardMetrics(MeterRegistry registry, LongSupplier nanos) {
    this.nanos = nanos;
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
    given =
        Counter.builder("plinth.shards.given")
            .description("Shards handed on to other nodes in good order")
            .register(registry);
    takeover =
        Timer.builder("plinth.shards.takeover")
            .description("Shards taken: from the claim until it is served")
            .register(registry);
    wait =
        Timer.builder("plinth.shards.move.wait")
            .description("Calls that had to wait for a shard on the move, and how long")
            .register(registry);
    for (ForwardOutcome result : ForwardOutcome.values()) {
      forwarded.put(
          result,
          Counter.builder("plinth.shards.forwarded")
              .description("Calls passed on to the node that owns their shard")
              .tag("result", result.name())
              .register(registry));
    }
  }

  void watch(MeterRegistry registry, Shards shards, ShardStore store) {
    Gauge.builder("plinth.shards.served", () -> shards.served().size())
        .description("Shards that this node owns and serves")
        .register(registry);
    Gauge.builder("plinth.shards.queue", shards::queued)
        .description("Commands waiting at all shards")
        .register(registry);
    Gauge.builder(
            "plinth.shards.nodes", () -> shards.routes().seen().clusterSnapshot().nodes().size())
        .description("Live nodes, as this one saw last")
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

  void given() {
    given.increment();
  }

  void taken(long nanos) {
    takeover.record(nanos, TimeUnit.NANOSECONDS);
  }

  void waited(long nanos) {
    wait.record(nanos, TimeUnit.NANOSECONDS);
  }

  void forwarded(ForwardOutcome result) {
    forwarded.get(result).increment();
  }

  private double authorityLeft(ShardStore store) {
    long left = store.authorityUntil() - nanos.getAsLong();
    return Math.max(0, left) / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
