package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientRuntime;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The limiters of a client. Those asked for lately are remembered, with what they hold; the others
 * give it back. Closing it, or the client, gives everything back.
 */
public final class RateLimitClient implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.client");

  private final ClientRuntime clientRuntime;
  private final LimiterContext limiterContext;
  private final GenerationalLoadingCache<LimiterKey, Limiter> limiters;
  private volatile boolean closed;

  /** For the client; applications have {@link dev.plinth.client.PlinthClient#rateLimitClient}. */
  public RateLimitClient(ClientRuntime clientRuntime, LimitOptions options) {
    this.clientRuntime = clientRuntime;
    ClientLimitEvents events = ClientLimitEvents.NONE;
    if (clientRuntime.meters().isPresent()) {
      events = new ClientLimitMetrics(clientRuntime.meters().get());
    }
    limiterContext = LimiterContext.of(clientRuntime, options, events);
    limiters =
        new GenerationalLoadingCache<>(
            options.maxLimiters(),
            limiterKey -> new Limiter(limiterKey, limiterContext),
            Limiter::evict);
    clientRuntime.attach(this);
    scheduleGeneration();
  }

  private void scheduleGeneration() {
    clientRuntime.after(
        limiterContext.options().idle(),
        () -> {
          if (!closed) {
            limiters.startGeneration();
            scheduleGeneration();
          }
        });
  }

  /**
   * The limiter of what these descriptors pick out in the domain's policy; the same for all who
   * ask. It may be kept for as long as the client lives.
   *
   * @param descriptors such as tenant=acme, route=/pay; in any order
   */
  public Limiter of(String domain, Map<String, String> descriptors) {
    return limiters.get(new LimiterKey(domain, descriptors));
  }

  public Limiter of(String domain, String key, String value) {
    return of(domain, Map.of(key, value));
  }

  /** The answer where there is none. */
  LimiterDecision unavailable() {
    LimiterDecision limiterDecision =
        LimiterDecision.unavailable(limiterContext.options().onUnavailable());
    limiterContext.events().answered(limiterDecision.allowed(), limiterDecision.decisionSource());
    return limiterDecision;
  }

  LimiterContext context() {
    return limiterContext;
  }

  ClientRuntime line() {
    return clientRuntime;
  }

  /** What is unspent goes back, if the service answers soon; limiters go by their fail mode. */
  @Override
  public void close() {
    closed = true;
    clientRuntime.detach(this);
    CompletableFuture<?>[] returns =
        limiterContext.lending().stream()
            .map(LeasedBudget::close)
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(returns)
          .get(limiterContext.options().deadline().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.DEBUG, "leased budget was not given back; its time will run out", e);
    }
    limiterContext.rateLimitCaller().close();
  }
}
