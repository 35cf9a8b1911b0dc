package dev.plinth.bench.ids;

import io.lettuce.core.api.sync.RedisCommands;
import me.ahoo.cosid.segment.IdSegmentDistributor;

/**
 * CosId's segments from a counter in Redis: one INCRBY each, as its own adapter does, which comes
 * only with Spring.
 */
final class RedisSegments implements IdSegmentDistributor {
  private final RedisCommands<String, String> redis;
  private final String name;
  private final long step;

  RedisSegments(RedisCommands<String, String> redis, long step) {
    this.redis = redis;
    this.step = step;
    name = "step-" + step;
  }

  @Override
  public String getNamespace() {
    return "cosid";
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public long getStep() {
    return step;
  }

  @Override
  public long nextMaxId(long step) {
    return redis.incrby(getNamespacedName(), step);
  }
}
