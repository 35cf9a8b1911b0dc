package dev.plinth.shards.store.etcd;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A commit that has not been answered yet, and what is known of its tries. */
final class PendingCommit {
  /** Where a commit is between its tries. Its outcome may become known in any of them. */
  enum State {
    /** It was never sent. */
    QUEUED,
    /** A try is on its way. */
    IN_FLIGHT,
    /** The last try has ended, and another may be sent. */
    RETURNED,
    /** The next try has to wait. */
    PAUSED,
    /** There is no further try: the claim ends with it, unless it turns out to be applied. */
    GIVEN_UP;

    private boolean leadsTo(State next) {
      return switch (this) {
        case QUEUED -> next == IN_FLIGHT;
        case IN_FLIGHT, PAUSED -> next == RETURNED;
        case RETURNED -> next == IN_FLIGHT || next == PAUSED || next == GIVEN_UP;
        case GIVEN_UP -> false;
      };
    }
  }

  private final long number;
  private final List<Write> writes;
  private final StoreMetrics metrics;
  private final Timer.Sample since;
  private final CompletableFuture<CommitResult> outcome = new CompletableFuture<>();
  private State state = State.QUEUED;
  private int tries;
  private long sent;
  private boolean inTurn;
  private boolean doubtful;
  private ClaimEnd claimEnd;

  PendingCommit(long number, List<Write> writes, StoreMetrics metrics) {
    this.number = number;
    this.writes = writes;
    this.metrics = metrics;
    this.since = Timer.start(metrics.registry());
  }

  long number() {
    return number;
  }

  List<Write> writes() {
    return writes;
  }

  CompletableFuture<CommitResult> outcome() {
    return outcome;
  }

  State state() {
    return state;
  }

  private void go(State next) {
    if (!state.leadsTo(next)) {
      throw new IllegalStateException("commit " + number + " is " + state + ", cannot be " + next);
    }
    state = next;
  }

  /**
   * @param turn whether its predecessor is known to be applied
   * @param order of this try among all tries of the claim
   */
  void sent(boolean turn, long order) {
    go(State.IN_FLIGHT);
    tries++;
    sent = order;
    inTurn = turn;
  }

  /** The last try has ended, in whatever way. */
  void returned() {
    go(State.RETURNED);
  }

  /** The next try has to wait, until {@link #resume}. */
  void pause() {
    go(State.PAUSED);
  }

  void resume() {
    go(State.RETURNED);
  }

  /** How the claim ends with this commit, unless it turns out to be applied after all. */
  void giveUp(ClaimEnd with) {
    go(State.GIVEN_UP);
    claimEnd = with;
  }

  /** Null unless it was given up. */
  ClaimEnd claimEnd() {
    return claimEnd;
  }

  int tries() {
    return tries;
  }

  boolean wasSent() {
    return state != State.QUEUED;
  }

  boolean wasSentAfter(PendingCommit other) {
    return sent > other.sent;
  }

  boolean isInFlight() {
    return state == State.IN_FLIGHT;
  }

  boolean wasInOrder() {
    return inTurn;
  }

  /** A try may have been applied, or may still be. */
  void doubt() {
    doubtful = true;
  }

  boolean isDoubtful() {
    return doubtful;
  }

  void done() {
    metrics.done(since);
    outcome.complete(CommitResult.DONE);
  }

  void deposed() {
    metrics.deposed(since);
    outcome.complete(CommitResult.DEPOSED);
  }

  void fail(StoreUnavailable failure) {
    metrics.failed(since);
    outcome.completeExceptionally(failure);
  }
}
