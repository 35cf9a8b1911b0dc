package dev.plinth.shards.store.etcd;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A commit that has not been answered yet, and what is known of its tries. */
final class PendingCommit {
  private final long number;
  private final List<Write> writes;
  private final StoreMetrics metrics;
  private final Timer.Sample since;
  private final CompletableFuture<CommitResult> outcome = new CompletableFuture<>();
  private int tries;
  private long sent;
  private boolean inFlight;
  private boolean inTurn;
  private boolean doubtful;
  private boolean waiting;
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

  /**
   * @param turn whether its predecessor is known to be applied
   * @param order of this try among all tries of the claim
   */
  void sent(boolean turn, long order) {
    tries++;
    sent = order;
    inFlight = true;
    inTurn = turn;
  }

  /** The last try has ended, in whatever way. */
  void back() {
    inFlight = false;
  }

  int tries() {
    return tries;
  }

  boolean wasSent() {
    return tries > 0;
  }

  boolean wasSentAfter(PendingCommit other) {
    return sent > other.sent;
  }

  boolean isInFlight() {
    return inFlight;
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

  /** Set while the next try has to wait. */
  void waiting(boolean now) {
    waiting = now;
  }

  boolean isWaiting() {
    return waiting;
  }

  /** How the claim ends with this commit, unless it turns out to be applied after all. */
  void end(ClaimEnd with) {
    claimEnd = with;
  }

  ClaimEnd ending() {
    return claimEnd;
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
