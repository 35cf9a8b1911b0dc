package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.InvariantsContract;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class RedisInvariantsTest extends InvariantsContract {
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
}
