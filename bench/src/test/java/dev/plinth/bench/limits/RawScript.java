package dev.plinth.bench.limits;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.math.BigInteger;
import java.util.concurrent.TimeUnit;

/**
 * The cell rate algorithm as a script, one EVALSHA a decision: what one writes by hand. The time of
 * the next cell is kept in whole parts of a microsecond, so that sums are exact.
 */
final class RawScript implements Contestant {
  private static final String SCRIPT =
      """
      local time = redis.call('TIME')
      local now = ((time[1] - 1735689600) * 1000000 + time[2]) * ARGV[1]
      local next = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0)) + ARGV[2]
      if next - now > tonumber(ARGV[3]) then
        return 0
      end
      redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', 10000)
      return 1
      """;

  private final RedisCommands<String, String> redis;
  private final PerKey<String[]> names;
  private final String digest;
  private final String[] arguments;

  RawScript(Clients clients, Case what) {
    redis = clients.strings().sync();
    names = new PerKey<>(what.keys().count(), key -> new String[] {what.name(key)});
    digest = redis.scriptLoad(SCRIPT);
    Limit limit = what.limit();
    BigInteger burst = BigInteger.valueOf(limit.burst());
    BigInteger micros = BigInteger.valueOf(TimeUnit.NANOSECONDS.toMicros(limit.period().toNanos()));
    BigInteger shared = burst.gcd(micros);
    arguments =
        new String[] {
          burst.divide(shared).toString(),
          micros.divide(shared).toString(),
          micros.divide(shared).multiply(burst).toString()
        };
  }

  @Override
  public boolean tryAcquire(int key) {
    Long passed = redis.evalsha(digest, ScriptOutputType.INTEGER, names.get(key), arguments);
    return passed == 1;
  }
}
