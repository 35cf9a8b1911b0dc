package dev.plinth.client.id;

import dev.plinth.client.CallFailed;
import dev.plinth.client.LimitReached;
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
final class Fetch {
  private static final Duration NO_END = Duration.ofDays(1);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);

  private final Ranges ranges;
  private final LeaseRangeRequest request;
  private final CompletableFuture<Span> result = new CompletableFuture<>();
  private volatile boolean started;
  private volatile boolean stopped;
  private volatile CallFailed failure;
  private volatile long retryAt;
  private long askedAt;
  private int failures;

  Fetch(Ranges ranges, LeaseRangeRequest request) {
    this.ranges = ranges;
    this.request = request;
  }

  void start() {
    askedAt = ranges.now();
    started = true;
    attempt();
  }

  private void attempt() {
    if (stopped) {
      settled();
      return;
    }
    ranges
        .line()
        .ask(IdServiceGrpc.getLeaseRangeMethod(), request, ranges.line().callDeadline())
        .whenComplete(this::answered);
  }

  private void answered(LeaseRangeResponse answer, Throwable thrown) {
    if (thrown != null) {
      failed((CallFailed) thrown);
      return;
    }
    Span span = ranges.span(answer.getRange(), askedAt);
    if (!result.complete(span)) {
      span.end();
      ranges.settle(span); // its handle was closed meanwhile
    }
  }

  private void failed(CallFailed thrown) {
    failure = thrown;
    // What the server says to wait for may take longer than any caller of ours waits.
    Duration left = thrown.code() == Code.RESOURCE_EXHAUSTED ? ranges.options().patience() : NO_END;
    Optional<Duration> pause = ranges.line().pause(thrown, failures++, left);
    if (pause.isPresent() && !stopped) {
      ranges.line().after(pause.get(), this::attempt);
    } else {
      retryAt = ranges.now() + AFTER_REFUSAL.toNanos();
      result.completeExceptionally(thrown);
    }
  }

  /** Refused, and not just now: a prefetch may be tried again. */
  boolean isOver(long now) {
    return isRefused() && now - retryAt >= 0;
  }

  boolean isRefused() {
    return result.isCompletedExceptionally();
  }

  boolean isUnderWay() {
    return !result.isDone();
  }

  /** The range if it is here. */
  Optional<Span> arrived() {
    return isUnderWay() || isRefused() ? Optional.empty() : Optional.of(result.join());
  }

  Span await() {
    Duration wait = ranges.options().patience();
    try {
      return result.get(wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw unavailable("no range came within " + wait, failure);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallFailed refusal) {
        throw unavailable("no range: " + refusal.getMessage(), refusal);
      }
      throw new IllegalStateException("ids of " + request.getNamespace() + " are closed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable("interrupted while waiting for a range", null);
    }
  }

  private IdsUnavailable unavailable(String what, CallFailed cause) {
    Duration told = cause instanceof LimitReached limit ? limit.retryAfter() : Duration.ZERO;
    return new IdsUnavailable("namespace " + request.getNamespace() + ": " + what, told, cause);
  }

  /** Asks no more. */
  void stop() {
    stopped = true;
  }

  boolean isStopped() {
    return stopped;
  }

  /** After it was stopped: waits a moment for what is under way, which has to be given back. */
  Optional<Span> last(Duration wait) {
    boolean underWay = started && failure == null;
    try {
      return Optional.of(result.get(underWay ? wait.toNanos() : 0, TimeUnit.NANOSECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return settled();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return settled();
    }
  }

  /** If it comes after this, it is given back where it comes in. */
  private Optional<Span> settled() {
    result.completeExceptionally(new IllegalStateException("closed"));
    return arrived();
  }
}
