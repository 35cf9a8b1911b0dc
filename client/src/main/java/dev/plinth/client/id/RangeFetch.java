package dev.plinth.client.id;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.ResourceExhaustedException;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * A range on its way. Asked for under one request id until the server grants or refuses it, since
 * an answer that was lost may have been a grant. A refusal ends it; the next caller who finds
 * nothing left asks anew.
 */
final class RangeFetch {
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);

  private final RangeFetcher fetcher;
  private final LeaseRangeRequest request;
  private final CompletableFuture<LeasedRange> result = new CompletableFuture<>();
  private volatile boolean started;
  private volatile boolean stopped;
  private volatile CallFailedException failure;
  private volatile long retryAt;
  private long requestedAt;

  RangeFetch(RangeFetcher fetcher, LeaseRangeRequest request) {
    this.fetcher = fetcher;
    this.request = request;
  }

  void start() {
    requestedAt = fetcher.now();
    started = true;
    fetcher
        .runtime()
        .retried(IdServiceGrpc.getLeaseRangeMethod(), request)
        .whileWanted(() -> !stopped && !isBeyondTimeout(failure))
        .onFailure(thrown -> failure = thrown)
        .send()
        .whenComplete(this::answered);
  }

  /** What the server says to wait for may take longer than any caller of ours waits. */
  private boolean isBeyondTimeout(CallFailedException thrown) {
    return thrown instanceof ResourceExhaustedException limit
        && limit.retryAfter().compareTo(fetcher.options().timeout()) >= 0;
  }

  private void answered(LeaseRangeResponse answer, Throwable thrown) {
    if (thrown instanceof CallFailedException) {
      retryAt = fetcher.now() + AFTER_REFUSAL.toNanos();
      result.completeExceptionally(thrown);
    } else if (thrown != null) {
      settled(); // stopped
    } else {
      LeasedRange range = fetcher.range(answer.getRange(), requestedAt);
      if (!result.complete(range)) {
        range.end();
        fetcher.settle(range); // its handle was closed meanwhile
      }
    }
  }

  /** Refused, and not just now: a prefetch may be tried again. */
  boolean isDone(long now) {
    return isRefused() && now - retryAt >= 0;
  }

  boolean isRefused() {
    return result.isCompletedExceptionally();
  }

  boolean isInFlight() {
    return !result.isDone();
  }

  /** The range if it is here. */
  Optional<LeasedRange> arrived() {
    return isInFlight() || isRefused() ? Optional.empty() : Optional.of(result.getNow(null));
  }

  LeasedRange await() {
    Duration wait = fetcher.options().timeout();
    try {
      return fetcher.runtime().machine().await(result, wait);
    } catch (TimeoutException e) {
      throw unavailable("no range came within " + wait, failure);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallFailedException refusal) {
        throw unavailable("no range: " + refusal.getMessage(), refusal);
      }
      throw new IllegalStateException("ids of " + request.getNamespace() + " are closed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable("interrupted while waiting for a range", null);
    }
  }

  private IdsUnavailableException unavailable(String what, CallFailedException cause) {
    Duration told =
        cause instanceof ResourceExhaustedException limit ? limit.retryAfter() : Duration.ZERO;
    return new IdsUnavailableException(
        "namespace " + request.getNamespace() + ": " + what, told, cause);
  }

  /** Asks no more. */
  void stop() {
    stopped = true;
  }

  boolean isStopped() {
    return stopped;
  }

  /** After it was stopped: waits a moment for what is in flight, which has to be given back. */
  Optional<LeasedRange> last(Duration wait) {
    boolean inFlight = started && failure == null;
    try {
      return Optional.of(
          fetcher.runtime().machine().await(result, inFlight ? wait : Duration.ZERO));
    } catch (TimeoutException | ExecutionException e) {
      return settled();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return settled();
    }
  }

  /** If it comes after this, it is given back where it comes in. */
  private Optional<LeasedRange> settled() {
    result.completeExceptionally(new IllegalStateException("closed"));
    return arrived();
  }
}
