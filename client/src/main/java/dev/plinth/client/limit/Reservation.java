package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.ReserveResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * A place in the near future, already charged. Act once {@link #delay} is over, then {@link
 * #settle} with what it really cost; unsettled it stays charged in full.
 */
public final class Reservation implements AutoCloseable {
  private final ReservationCaller reservations;
  private final String id;
  private final long cost;
  private final Decision decision;
  private final LongSupplier nanos;
  private final long actAt;
  private final AtomicBoolean settled = new AtomicBoolean();

  /** The wait counts from here, later than at the service: nobody acts early. */
  Reservation(
      ReservationCaller reservations, long cost, ReserveResponse answer, LongSupplier nanos) {
    this.reservations = reservations;
    this.id = answer.getReservationId();
    this.cost = cost;
    this.decision = answer.getDecision();
    this.nanos = nanos;
    this.actAt = nanos.getAsLong() + ClientWire.duration(answer.getWait()).toNanos();
  }

  public long cost() {
    return cost;
  }

  public Decision decision() {
    return decision;
  }

  /** How long to wait from now on; never negative. */
  public Duration delay() {
    return Duration.ofNanos(Math.max(0, actAt - nanos.getAsLong()));
  }

  /** Sleeps until it may act. */
  public void await() throws InterruptedException {
    for (Duration left = delay(); !left.isZero(); left = delay()) {
      reservations.context().machine().pause(left);
    }
  }

  /**
   * Gives back what was not needed, or charges what was on top, once.
   *
   * @return false if it was settled before, or is too late: it stays as it is
   */
  public boolean settle(long actual) throws InterruptedException {
    return BlockingFutures.interruptibly(reservations.context().machine(), settling(actual));
  }

  public CompletionStage<Boolean> settleAsync(long actual) {
    return reservations.handed(settling(actual));
  }

  CompletableFuture<Boolean> settling(long actual) {
    if (actual < 0) {
      throw new IllegalArgumentException("actual: " + actual + " (expected: 0 or above)");
    }
    return settled.compareAndSet(false, true)
        ? reservations.settle(id, actual)
        : CompletableFuture.completedFuture(false);
  }

  /**
   * Gives all of it back, in the background, if its time has not come yet and it was not settled.
   * After that it may have been acted upon, so it stays charged.
   */
  @Override
  public void close() {
    if (!delay().isZero()) {
      settling(0);
    }
  }
}
