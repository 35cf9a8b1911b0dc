package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientRuntime;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The limiters of a client. Those asked for lately are remembered, with what they hold; the others
 * give it back. Closing it, or the client, gives everything back.
 */
public final class RateLimitClient implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.client");

  private final ClientRuntime runtime;
  private final LimiterContext context;
  private final GenerationalLoadingCache<LimiterKey, Limiter> limiters;
  private volatile boolean closed;

  /** For the client; applications have {@link dev.plinth.client.PlinthClient#limits()}. */
  public RateLimitClient(ClientRuntime runtime, LimitOptions options) {
    this.runtime = runtime;
    ClientLimitEvents events = ClientLimitEvents.NONE;
    if (runtime.meters().isPresent()) {
      events = new ClientLimitMetrics(runtime.meters().get());
    }
    context = LimiterContext.of(runtime, options, events);
    limiters =
        new GenerationalLoadingCache<>(
            options.maxLimiters(), limiterKey -> new Limiter(limiterKey, context), Limiter::evict);
    runtime.attach(this);
    scheduleGeneration();
  }

  private void scheduleGeneration() {
    runtime.after(
        context.options().idle(),
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
    return counted(LimiterDecision.unavailable(context.options().onUnavailable()));
  }

  /** The answer where the service refuses the question. */
  LimiterDecision badContent() {
    return counted(LimiterDecision.BAD_CONTENT);
  }

  private LimiterDecision counted(LimiterDecision limiterDecision) {
    context.events().answered(limiterDecision.allowed(), limiterDecision.source());
    return limiterDecision;
  }

  LimiterContext context() {
    return context;
  }

  /** What is unspent goes back, if the service answers soon; limiters go by their fail mode. */
  @Override
  public void close() {
    closed = true;
    runtime.detach(this);
    CompletableFuture<?>[] returns =
        context.lending().copy().stream()
            .map(LeasedBudget::close)
            .toArray(CompletableFuture<?>[]::new);
    try {
      context.machine().await(CompletableFuture.allOf(returns), context.options().deadline());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.DEBUG, "leased budget was not given back; its time will run out", e);
    }
    context.caller().close();
  }
}
