package dev.plinth.shards.store.etcd;

import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Write;
import io.grpc.SynchronizationContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * The commits of one claim, a few under way at once.
 *
 * <p>A try has no effect unless the shard is ours and its predecessor is the last commit applied.
 * So a try may be repeated until its outcome is known, one that overtook its predecessor is sent
 * again in its turn, and the number of the last commit, seen in any answer while the shard is ours,
 * tells of all up to it. Answers leave in order.
 */
final class CommitSender {
  /** Who owned the shard and what was its last commit, right after a try. */
  record CommitStatus(boolean ours, long revision) {}

  /** The questions to etcd. */
  interface CommitTransport {
    /** One try of a commit. */
    CompletableFuture<CommitStatus> send(long number, List<Write> writes);

    /** How things stand, changing nothing. */
    CompletableFuture<CommitStatus> readBack();
  }

  private final CommitTransport commitTransport;
  private final CommitRetrySchedule commitRetrySchedule;
  private final EtcdStoreContext etcdStoreContext;
  private final SpaceAlarm space;
  private final SynchronizationContext inOrder = EtcdStoreContext.inOrder();
  private final Deque<PendingCommit> pending = new ArrayDeque<>();
  private final List<CompletableFuture<Void>> untilQuiet = new ArrayList<>();
  private final List<PendingCommit> failed = new ArrayList<>();
  private final List<CompletableFuture<OptionalLong>> untilAnswered = new ArrayList<>();
  private long applied;
  private long sentUpTo;
  private long sends;
  private boolean lost;
  private ClaimEnd claimEnd;

  CommitSender(
      CommitTransport commitTransport,
      NodeSession nodeSession,
      EtcdStoreContext etcdStoreContext,
      SpaceAlarm space,
      long applied) {
    this.commitTransport = commitTransport;
    this.commitRetrySchedule = new CommitRetrySchedule(nodeSession, etcdStoreContext);
    this.etcdStoreContext = etcdStoreContext;
    this.space = space;
    this.applied = applied;
  }

  CompletableFuture<CommitResult> add(long number, List<Write> writes) {
    PendingCommit commit = new PendingCommit(number, writes, etcdStoreContext.metrics());
    inOrder.execute(
        () -> {
          pending.add(commit);
          proceed();
        });
    return commit.outcome();
  }

  /** Nothing new is sent any more; what is under way may still turn out to be done. */
  void lose() {
    inOrder.execute(
        () -> {
          lost = true;
          proceed();
        });
  }

  /** Gives up on all that has no outcome yet. */
  void cut(String why) {
    inOrder.execute(
        () -> {
          claimEnd = claimEnd == null ? new ClaimEnd(EtcdFailure.unknown(why, null)) : claimEnd;
          proceed();
        });
  }

  /** Completes when every commit so far has its outcome. */
  CompletableFuture<Void> quiet() {
    CompletableFuture<Void> quiet = new CompletableFuture<>();
    inOrder.execute(
        () -> {
          untilQuiet.add(quiet);
          proceed();
        });
    return quiet;
  }

  /**
   * Completes when no try is on its way any more, with the last commit applied; with none where the
   * shard is lost, or a commit that has failed may yet be applied.
   */
  CompletableFuture<OptionalLong> standing() {
    CompletableFuture<OptionalLong> standing = new CompletableFuture<>();
    inOrder.execute(
        () -> {
          untilAnswered.add(standing);
          proceed();
        });
    return standing;
  }

  private void proceed() {
    settle();
    send();
    tellStanding();
    if (pending.isEmpty()) {
      untilQuiet.forEach(quiet -> quiet.complete(null));
      untilQuiet.clear();
    }
  }

  private void tellStanding() {
    boolean doubtful =
        lost
            || claimEnd != null && claimEnd.isUnknown()
            || failed.stream().anyMatch(PendingCommit::isDoubtful);
    if (doubtful || pending.isEmpty() && failed.stream().noneMatch(PendingCommit::isInFlight)) {
      OptionalLong last = doubtful ? OptionalLong.empty() : OptionalLong.of(applied);
      untilAnswered.forEach(standing -> standing.complete(last));
      untilAnswered.clear();
    }
  }

  private void settle() {
    for (PendingCommit head = pending.peek(); head != null; head = pending.peek()) {
      if (head.number() > applied && !isEnded(head)) {
        return;
      }
      pending.remove();
      if (head.number() <= applied) {
        head.done();
      } else {
        failed.add(head);
        claimEnd.complete(head);
      }
    }
  }

  /** The first commit that is surely not applied takes all after it along. */
  private boolean isEnded(PendingCommit head) {
    if (claimEnd == null) {
      claimEnd = lost && !head.wasSent() ? ClaimEnd.DEPOSED : head.claimEnd();
    }
    return claimEnd != null;
  }

  private void send() {
    PendingCommit before = null;
    int inFlight = 0;
    for (PendingCommit commit : pending) {
      if (!commit.isInFlight()) {
        if (inFlight == etcdStoreContext.settings().commitsInFlight() || !maySend(commit, before)) {
          return;
        }
        send(commit);
      }
      inFlight++;
      before = commit;
    }
  }

  /** For the first time in any case, again only behind a predecessor that is done or sent anew. */
  private boolean maySend(PendingCommit commit, PendingCommit before) {
    if (!commit.wasSent()) {
      return !lost;
    }
    return commit.state() == PendingCommit.State.RETURNED
        && (before == null || before.wasSentAfter(commit));
  }

  private void send(PendingCommit commit) {
    commit.sent(applied == commit.number() - 1, ++sends);
    sentUpTo = Math.max(sentUpTo, commit.number());
    commitTransport
        .send(commit.number(), commit.writes())
        .whenComplete(
            (commitStatus, failure) ->
                inOrder.execute(
                    () -> {
                      if (failure == null) {
                        space.worked();
                        answered(commit, commitStatus);
                      } else if (!commit.outcome().isDone()) {
                        failed(commit, failure);
                      } else {
                        returnedLate(commit, failure);
                      }
                      proceed();
                    }));
  }

  /** A try of a commit that has failed meanwhile. */
  private static void returnedLate(PendingCommit commit, Throwable failure) {
    commit.returned();
    if (EtcdFailure.of(failure) == EtcdFailure.DOUBTFUL) {
      commit.doubt();
    }
  }

  private void answered(PendingCommit commit, CommitStatus commitStatus) {
    commit.returned();
    if (!commitStatus.ours()) {
      lost = true;
      boolean maybe = commit.isDoubtful() && commitStatus.revision() >= commit.number();
      commit.giveUp(
          maybe
              ? new ClaimEnd(EtcdFailure.unknown("the shard was lost before the answer came", null))
              : ClaimEnd.DEPOSED);
    } else if (commitStatus.revision() > sentUpTo
        || commitStatus.revision() < commit.number() && commit.wasInOrder()) {
      // Only a hand in the data, or a restored backup, does this.
      String what = "the last commit is " + commitStatus.revision() + " (expected: ";
      commit.giveUp(
          new ClaimEnd(
              EtcdFailure.unknown(what + (commit.number() - 1) + ".." + sentUpTo + ")", null)));
    } else {
      applied = Math.max(applied, commitStatus.revision());
      if (commit.number() > applied) {
        etcdStoreContext.metrics().overtaken();
      }
    }
  }

  private void failed(PendingCommit commit, Throwable failure) {
    EtcdFailure etcdFailure = EtcdFailure.of(failure);
    space.record(etcdFailure);
    if (etcdFailure == EtcdFailure.NO_SPACE) {
      refusedForSpace(commit, failure);
      return;
    }
    commit.returned();
    if (etcdFailure == EtcdFailure.DOUBTFUL) {
      etcdStoreContext.metrics().doubtful();
      commit.doubt();
      waitOrEnd(commit, failure);
    } else {
      commit.giveUp(refusal(commit, failure));
    }
  }

  /** etcd says so too of the transaction that crosses the limit, which it applies all the same. */
  private void refusedForSpace(PendingCommit commit, Throwable refusal) {
    commitTransport
        .readBack()
        .whenComplete(
            (commitStatus, failure) ->
                inOrder.execute(
                    () -> {
                      if (failure == null
                          && commitStatus.ours()
                          && commitStatus.revision() < commit.number()) {
                        commit.returned();
                        commit.giveUp(refusal(commit, refusal));
                      } else {
                        commit.doubt();
                        onReadBack(commit, commitStatus, refusal);
                      }
                      proceed();
                    }));
  }

  private void onReadBack(PendingCommit commit, CommitStatus commitStatus, Throwable refusal) {
    if (commitStatus == null) {
      commit.returned();
      commit.giveUp(refusal(commit, refusal));
    } else {
      answered(commit, commitStatus);
    }
  }

  private static ClaimEnd refusal(PendingCommit commit, Throwable failure) {
    return new ClaimEnd(
        commit.isDoubtful()
            ? EtcdFailure.unknown("commit refused", failure)
            : EtcdFailure.refused("commit refused", failure));
  }

  /** Asks again, as long as no other node can own the shard. */
  private void waitOrEnd(PendingCommit commit, Throwable failure) {
    if (commitRetrySchedule.isExpired()) {
      commit.giveUp(new ClaimEnd(EtcdFailure.unknown("no answer to a commit", failure)));
      return;
    }
    commitRetrySchedule.pause(
        commit,
        () ->
            inOrder.execute(
                () -> {
                  commit.resume();
                  if (commitRetrySchedule.isExpired()) {
                    commit.giveUp(
                        new ClaimEnd(EtcdFailure.unknown("no answer to a commit", failure)));
                  }
                  proceed();
                }));
  }
}
