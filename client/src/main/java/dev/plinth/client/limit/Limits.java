package dev.plinth.client.limit;

import dev.plinth.client.Line;
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
public final class Limits implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.client");

  private final Line line;
  private final Wiring wiring;
  private final Lately<Subject, Limiter> limiters;
  private volatile boolean closed;

  /** For the client; applications have {@link dev.plinth.client.PlinthClient#limits}. */
  public Limits(Line line, LimitOptions options) {
    this.line = line;
    LimitEvents events = LimitEvents.NONE;
    if (line.meters().isPresent()) {
      events = new LimitMetrics(line.meters().get());
    }
    wiring = Wiring.of(line, options, events);
    limiters =
        new Lately<>(
            options.mostLimiters(), subject -> new Limiter(subject, wiring), Limiter::letGo);
    line.attach(this);
    turnLater();
  }

  private void turnLater() {
    line.after(
        wiring.options().idle(),
        () -> {
          if (!closed) {
            limiters.turn();
            turnLater();
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
    return limiters.get(new Subject(domain, descriptors));
  }

  public Limiter of(String domain, String key, String value) {
    return of(domain, Map.of(key, value));
  }

  /** The answer where there is none. */
  Answer unavailable() {
    Answer answer = Answer.unavailable(wiring.options().onUnavailable());
    wiring.events().answered(answer.allowed(), answer.source());
    return answer;
  }

  Wiring wiring() {
    return wiring;
  }

  Line line() {
    return line;
  }

  /** What is unspent goes back, if the service answers soon; limiters go by their fail mode. */
  @Override
  public void close() {
    closed = true;
    line.detach(this);
    CompletableFuture<?>[] returns =
        wiring.lending().stream().map(Purse::close).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(returns)
          .get(wiring.options().deadline().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.DEBUG, "leased budget was not given back; its time will run out", e);
    }
    wiring.asks().close();
  }
}
