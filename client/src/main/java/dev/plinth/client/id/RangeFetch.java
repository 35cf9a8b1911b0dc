package dev.plinth.client.id;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.ResourceExhaustedException;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A range on its way. Asked for under one request id until the server grants or refuses it, since
 * an answer that was lost may have been a grant. A refusal ends it; the next caller who finds
 * nothing left asks anew.
 */
final class RangeFetch {
  private static final Duration NO_END = Duration.ofDays(1);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);

  private final RangeFetcher rangeFetcher;
  private final LeaseRangeRequest request;
  private final CompletableFuture<LeasedRange> result = new CompletableFuture<>();
  private volatile boolean started;
  private volatile boolean stopped;
  private volatile CallFailedException failure;
  private volatile long retryAt;
  private long askedAt;
  private int failures;

  RangeFetch(RangeFetcher rangeFetcher, LeaseRangeRequest request) {
    this.rangeFetcher = rangeFetcher;
    this.request = request;
  }

  void start() {
    askedAt = rangeFetcher.now();
    started = true;
    attempt();
  }

  private void attempt() {
    if (stopped) {
      settled();
      return;
    }
    rangeFetcher
        .clientRuntime()
        .send(
            IdServiceGrpc.getLeaseRangeMethod(),
            request,
            rangeFetcher.clientRuntime().callDeadline())
        .whenComplete(this::answered);
  }

  private void answered(LeaseRangeResponse answer, Throwable thrown) {
    if (thrown != null) {
      failed((CallFailedException) thrown);
      return;
    }
    LeasedRange leasedRange = rangeFetcher.span(answer.getRange(), askedAt);
    if (!result.complete(leasedRange)) {
      leasedRange.end();
      rangeFetcher.settle(leasedRange); // its handle was closed meanwhile
    }
  }

  private void failed(CallFailedException thrown) {
    failure = thrown;
    // What the server says to wait for may take longer than any caller of ours waits.
    Duration left =
        thrown.code() == Code.RESOURCE_EXHAUSTED ? rangeFetcher.options().timeout() : NO_END;
    Optional<Duration> pause = rangeFetcher.clientRuntime().pause(thrown, failures++, left);
    if (pause.isPresent() && !stopped) {
      rangeFetcher.clientRuntime().after(pause.get(), this::attempt);
    } else {
      retryAt = rangeFetcher.now() + AFTER_REFUSAL.toNanos();
      result.completeExceptionally(thrown);
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
    return isInFlight() || isRefused() ? Optional.empty() : Optional.of(result.join());
  }

  LeasedRange await() {
    Duration wait = rangeFetcher.options().timeout();
    try {
      return result.get(wait.toNanos(), TimeUnit.NANOSECONDS);
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

  /** After it was stopped: waits a moment for what is under way, which has to be given back. */
  Optional<LeasedRange> last(Duration wait) {
    boolean inFlight = started && failure == null;
    try {
      return Optional.of(result.get(inFlight ? wait.toNanos() : 0, TimeUnit.NANOSECONDS));
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
