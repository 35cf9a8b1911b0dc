package dev.plinth.ratelimit.core;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.Optional;
import java.util.function.Consumer;

/** A request that is sent as it is. */
final class Sent extends Waiting<Outcome> implements Slip {
  private final Request request;
  private final Optional<Sent> before;
  private volatile Consumer<Outcome> onLateAnswer = outcome -> {};

  Sent(String domain, int place, long deadline, Request request) {
    this(domain, place, deadline, request, Optional.empty());
  }

  /**
   * @param before goes with it, right before it
   */
  Sent(String domain, int place, long deadline, Request request, Optional<Sent> before) {
    super(domain, place, deadline);
    this.request = request;
    this.before = before;
  }

  /** Told the store's answer if that comes after the caller was answered without it. */
  Sent onLateAnswer(Consumer<Outcome> told) {
    onLateAnswer = told;
    return this;
  }

  Optional<Sent> before() {
    return before;
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public int checks() {
    return request.operation() instanceof Operation.Take ? 1 : 0;
  }

  @Override
  public void answered(Outcome outcome, Flush flush) {
    if (!complete(outcome)) {
      flush.late(checks());
      onLateAnswer.accept(outcome);
    }
  }

  @Override
  public void failed(Throwable cause) {
    completeExceptionally(cause);
  }

  @Override
  public void expire(long now) {
    if (isDue(now)) {
      away(true);
    }
  }

  @Override
  void away(boolean sent) {
    before.ifPresent(other -> other.away(sent));
    completeExceptionally(
        sent
            ? StoreUnavailable.outcomeUnknown("budgets", "did not answer in time", null)
            : StoreUnavailable.notApplied("budgets", "does not answer", null));
  }
}
