package dev.plinth.ratelimit.pipeline;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import java.util.Optional;
import java.util.function.Consumer;

/** A request that is sent as it is. */
final class PendingRequest extends PendingAnswer<Outcome> implements FlushEntry {
  private final BudgetRequest request;
  private final Optional<PendingRequest> before;
  private volatile Consumer<Outcome> onLateAnswer = outcome -> {};

  PendingRequest(String domain, int queueHash, long deadline, BudgetRequest request) {
    this(domain, queueHash, deadline, request, Optional.empty());
  }

  /**
   * @param before goes with it, right before it
   */
  PendingRequest(
      String domain,
      int queueHash,
      long deadline,
      BudgetRequest request,
      Optional<PendingRequest> before) {
    super(domain, queueHash, deadline);
    this.request = request;
    this.before = before;
  }

  /** Receives the store's answer if that comes after the caller was answered without it. */
  PendingRequest onLateAnswer(Consumer<Outcome> listener) {
    onLateAnswer = listener;
    return this;
  }

  Optional<PendingRequest> before() {
    return before;
  }

  @Override
  public BudgetRequest request() {
    return request;
  }

  @Override
  public int budgets() {
    return request.operation().budgetCount();
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
      onStoreUnavailable(true);
    }
  }

  @Override
  void onStoreUnavailable(boolean maybeCharged) {
    before.ifPresent(other -> other.onStoreUnavailable(maybeCharged));
    completeExceptionally(
        maybeCharged
            ? StoreUnavailable.outcomeUnknown("budgets", "did not answer in time", null)
            : StoreUnavailable.notApplied("budgets", "does not answer", null));
  }
}
