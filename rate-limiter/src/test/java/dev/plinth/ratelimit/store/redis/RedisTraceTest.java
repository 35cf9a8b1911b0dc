package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.model.TraceContract;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class RedisTraceTest extends TraceContract {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private TimedRedis redis;

  @Override
  protected BudgetStore open() {
    redis = new TimedRedis(REDIS);
    return redis;
  }

  @Override
  protected void at(long micros) {
    redis.now = micros;
  }

  @Override
  protected int traces() {
    return 100;
  }
}
