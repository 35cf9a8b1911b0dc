package dev.plinth.bench.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;

/** Redisson's RRateLimiter, over all processes. */
final class RedissonLimiters implements Contestant {
  private static final int IN_FLIGHT = 500;

  private final Case what;
  private final PerKey<RRateLimiter> limiters;

  RedissonLimiters(Clients clients, Case what) {
    this.what = what;
    limiters =
        new PerKey<>(what.keys().count(), key -> clients.redisson().getRateLimiter(what.name(key)));
  }

  /** It keeps a key's limit beside the key. */
  @Override
  public void define() {
    List<CompletionStage<Boolean>> defining = new ArrayList<>();
    for (int key = 0; key < what.keys().count(); key++) {
      Limit limit = what.limit();
      defining.add(
          limiters.get(key).trySetRateAsync(RateType.OVERALL, limit.burst(), limit.period()));
      if (defining.size() == IN_FLIGHT) {
        await(defining);
      }
    }
    await(defining);
  }

  private static void await(List<CompletionStage<Boolean>> defining) {
    defining.forEach(one -> one.toCompletableFuture().join());
    defining.clear();
  }

  @Override
  public boolean tryAcquire(int key) {
    return limiters.get(key).tryAcquire();
  }
}
