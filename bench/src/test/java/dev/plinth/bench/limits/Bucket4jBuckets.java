package dev.plinth.bench.limits;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.DelayParameters;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import java.time.Duration;
import java.util.Optional;

/** Bucket4j on Lettuce. A process has one bucket for each key, or there were nothing to batch. */
final class Bucket4jBuckets implements Contestant {
  private final PerKey<Bucket> buckets;

  private Bucket4jBuckets(Clients clients, Case what, Optional<Optimization> optimization) {
    ProxyManager<String> manager =
        Bucket4jLettuce.casBasedBuilder(clients.bytes())
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                    Duration.ofSeconds(10)))
            .build();
    Limit limit = what.limit();
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(
                band -> band.capacity(limit.burst()).refillGreedy(limit.burst(), limit.period()))
            .build();
    RemoteBucketBuilder<String> builder = manager.builder();
    optimization.ifPresent(builder::withOptimization);
    buckets =
        new PerKey<>(
            what.keys().count(), key -> builder.build(what.name(key), () -> configuration));
  }

  static Contestant plain(Clients clients, Case what) {
    return new Bucket4jBuckets(clients, what, Optional.empty());
  }

  static Contestant batching(Clients clients, Case what) {
    return new Bucket4jBuckets(clients, what, Optional.of(Optimizations.batching()));
  }

  static Contestant delaying(Clients clients, Case what) {
    return new Bucket4jBuckets(clients, what, Optional.of(Optimizations.delaying(delay(what))));
  }

  static Contestant predicting(Clients clients, Case what) {
    return new Bucket4jBuckets(clients, what, Optional.of(Optimizations.predicting(delay(what))));
  }

  /** As much of the burst as a lease of ours may take. */
  private static DelayParameters delay(Case what) {
    return new DelayParameters(what.limit().burst() / 10, Duration.ofMillis(50));
  }

  @Override
  public boolean tryAcquire(int key) {
    return buckets.get(key).tryConsume(1);
  }
}
