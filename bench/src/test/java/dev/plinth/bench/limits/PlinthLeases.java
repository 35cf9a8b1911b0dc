package dev.plinth.bench.limits;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.limit.LimitOptions;
import dev.plinth.client.limit.Limiter;
import dev.plinth.client.limit.OnUnavailable;
import dev.plinth.client.limit.RateLimitClient;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import java.time.Duration;

/** Our client, which leases budget for keys that are asked for often and decides by itself. */
final class PlinthLeases implements Contestant {
  private final Clients clients;
  private final Case what;
  private final PlinthClient client;
  private final PerKey<Limiter> limiters;

  PlinthLeases(Clients clients, Case what) {
    this.clients = clients;
    this.what = what;
    client = PlinthClient.connect(clients.plinth());
    int keys = what.keys().count();
    LimitOptions options =
        LimitOptions.defaults()
            .deadline(Duration.ofSeconds(10))
            .onUnavailable(OnUnavailable.CLOSED)
            .maxLimiters(Math.max(2, keys));
    RateLimitClient rateLimitClient = client.limits(options);
    limiters =
        new PerKey<>(
            keys, key -> rateLimitClient.of(what.run(), PlinthChecks.DESCRIPTOR, what.name(key)));
  }

  @Override
  public void define() {
    PlinthChecks.define(
        RateLimitServiceGrpc.newBlockingStub(clients.channel()),
        what,
        PlinthChecks.leasedRule(what.limit(), LimitsBench.PROCESSES));
  }

  @Override
  public boolean tryAcquire(int key) {
    return limiters.get(key).tryAcquire();
  }

  @Override
  public void close() {
    client.close();
  }
}
