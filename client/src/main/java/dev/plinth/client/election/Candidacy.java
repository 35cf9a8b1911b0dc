package dev.plinth.client.election;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientWire;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One that stands for election until it is elected or closed, over broken connections and lost
 * sessions. It is elected once: after its term, stand again.
 */
public final class Candidacy implements AutoCloseable {
  private final String candidate;
  private final Campaign campaign;
  private final CompletableFuture<Leadership> elected;
  private final ClientEnvironment environment;

  Candidacy(String candidate, Campaign campaign, ClientEnvironment environment) {
    this.candidate = candidate;
    this.campaign = campaign;
    this.elected = campaign.elected();
    this.environment = environment;
  }

  /** The name that others see. */
  public String candidate() {
    return candidate;
  }

  /** The queue position, where 1 is next; 0 when it is not known, or leads. */
  public int position() {
    return campaign.position();
  }

  /**
   * Waits to be elected; empty if that took longer. It stands on all the same.
   *
   * @throws CallFailedException if the server has refused it meanwhile
   * @throws IllegalStateException if it, or the client, is closed
   */
  public Optional<Leadership> await(Duration wait) throws InterruptedException {
    try {
      return Optional.of(
          environment.machine().await(elected, Duration.ofNanos(ClientWire.nanos(wait))));
    } catch (TimeoutException e) {
      return Optional.empty();
    } catch (CancellationException e) {
      throw new IllegalStateException("the candidacy is closed", e);
    } catch (ExecutionException e) {
      throw (RuntimeException) e.getCause();
    }
  }

  /** Once, when it is elected; at once if it was. */
  public void onElected(Consumer<Leadership> task) {
    elected.thenAccept(
        leadership -> environment.callbacks().execute(() -> task.accept(leadership)));
  }

  /** Leaves the line, or resigns. */
  @Override
  public void close() {
    boolean wasInLine = elected.cancel(false);
    campaign.leave();
    if (!wasInLine && !elected.isCompletedExceptionally()) {
      elected.getNow(null).close();
    }
  }
}
