package dev.plinth.shards.store.etcd;

import dev.plinth.shards.store.OwnedShard.Commit;
import dev.plinth.shards.store.Write;
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
final class Commits {
  /** Who owned the shard and what was its last commit, right after a try. */
  record Answer(boolean ours, long revision) {}

  /** The questions to etcd. */
  interface Call {
    /** One try of a commit. */
    CompletableFuture<Answer> send(long number, List<Write> writes);

    /** How things stand, changing nothing. */
    CompletableFuture<Answer> look();
  }

  private final Call call;
  private final Patience patience;
  private final Setup setup;
  private final SpaceAlarm space;
  private final Serial serial = new Serial();
  private final Deque<PendingCommit> pending = new ArrayDeque<>();
  private final List<CompletableFuture<Void>> untilQuiet = new ArrayList<>();
  private final List<PendingCommit> failed = new ArrayList<>();
  private final List<CompletableFuture<OptionalLong>> untilAnswered = new ArrayList<>();
  private long applied;
  private long sentUpTo;
  private long sends;
  private boolean lost;
  private Ending ending;

  Commits(Call call, Session session, Setup setup, SpaceAlarm space, long applied) {
    this.call = call;
    this.patience = new Patience(session, setup);
    this.setup = setup;
    this.space = space;
    this.applied = applied;
  }

  CompletableFuture<Commit> add(long number, List<Write> writes) {
    PendingCommit commit = new PendingCommit(number, writes, setup.metrics());
    serial.execute(
        () -> {
          pending.add(commit);
          proceed();
        });
    return commit.outcome();
  }

  /** Nothing new is sent any more; what is under way may still turn out to be done. */
  void lose() {
    serial.execute(
        () -> {
          lost = true;
          proceed();
        });
  }

  /** Gives up on all that has no outcome yet. */
  void cut(String why) {
    serial.execute(
        () -> {
          ending = ending == null ? new Ending(Failing.unknown(why, null)) : ending;
          proceed();
        });
  }

  /** Completes when every commit so far has its outcome. */
  CompletableFuture<Void> quiet() {
    CompletableFuture<Void> quiet = new CompletableFuture<>();
    serial.execute(
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
    serial.execute(
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
            || ending != null && ending.isUnknown()
            || failed.stream().anyMatch(PendingCommit::isDoubtful);
    if (doubtful || pending.isEmpty() && failed.stream().noneMatch(PendingCommit::isUnderWay)) {
      OptionalLong last = doubtful ? OptionalLong.empty() : OptionalLong.of(applied);
      untilAnswered.forEach(standing -> standing.complete(last));
      untilAnswered.clear();
    }
  }

  private void settle() {
    for (PendingCommit head = pending.peek(); head != null; head = pending.peek()) {
      if (head.number() > applied && !isOver(head)) {
        return;
      }
      pending.remove();
      if (head.number() <= applied) {
        head.done();
      } else {
        failed.add(head);
        ending.tell(head);
      }
    }
  }

  /** The first commit that is surely not applied takes all after it along. */
  private boolean isOver(PendingCommit head) {
    if (ending == null) {
      ending = lost && !head.wasSent() ? Ending.DEPOSED : head.ending();
    }
    return ending != null;
  }

  private void send() {
    PendingCommit before = null;
    int underWay = 0;
    for (PendingCommit commit : pending) {
      if (!commit.isUnderWay()) {
        if (underWay == setup.settings().commitsInFlight() || !maySend(commit, before)) {
          return;
        }
        send(commit);
      }
      underWay++;
      before = commit;
    }
  }

  /** For the first time in any case, again only behind a predecessor that is done or sent anew. */
  private boolean maySend(PendingCommit commit, PendingCommit before) {
    if (!commit.wasSent()) {
      return !lost;
    }
    return !commit.isWaiting()
        && commit.ending() == null
        && (before == null || before.wasSentAfter(commit));
  }

  private void send(PendingCommit commit) {
    commit.sent(applied == commit.number() - 1, ++sends);
    sentUpTo = Math.max(sentUpTo, commit.number());
    call.send(commit.number(), commit.writes())
        .whenComplete(
            (answer, failure) ->
                serial.execute(
                    () -> {
                      if (failure == null) {
                        space.worked();
                        answered(commit, answer);
                      } else if (!commit.outcome().isDone()) {
                        failed(commit, failure);
                      } else if (Failing.of(failure) == Failing.DOUBTFUL) {
                        commit.doubt();
                      } else {
                        commit.back();
                      }
                      proceed();
                    }));
  }

  private void answered(PendingCommit commit, Answer answer) {
    commit.back();
    if (!answer.ours()) {
      lost = true;
      boolean maybe = commit.isDoubtful() && answer.revision() >= commit.number();
      commit.end(
          maybe
              ? new Ending(Failing.unknown("the shard was lost before the answer came", null))
              : Ending.DEPOSED);
    } else if (answer.revision() > sentUpTo
        || answer.revision() < commit.number() && commit.wasInTurn()) {
      // Only a hand in the data, or a restored backup, does this.
      String what = "the last commit is " + answer.revision() + " (expected: ";
      commit.end(
          new Ending(Failing.unknown(what + (commit.number() - 1) + ".." + sentUpTo + ")", null)));
    } else {
      applied = Math.max(applied, answer.revision());
      if (commit.number() > applied) {
        setup.metrics().overtaken();
      }
    }
  }

  private void failed(PendingCommit commit, Throwable failure) {
    Failing failing = Failing.of(failure);
    space.note(failing);
    if (failing == Failing.NO_SPACE) {
      refusedForSpace(commit, failure);
      return;
    }
    commit.back();
    if (failing == Failing.DOUBTFUL) {
      setup.metrics().doubtful();
      commit.doubt();
      waitOrEnd(commit, failure);
    } else {
      commit.end(refusal(commit, failure));
    }
  }

  /** etcd says so too of the transaction that crosses the limit, which it applies all the same. */
  private void refusedForSpace(PendingCommit commit, Throwable refusal) {
    call.look()
        .whenComplete(
            (answer, failure) ->
                serial.execute(
                    () -> {
                      if (failure == null && answer.ours() && answer.revision() < commit.number()) {
                        commit.back();
                        commit.end(refusal(commit, refusal));
                      } else {
                        commit.doubt();
                        looked(commit, answer, refusal);
                      }
                      proceed();
                    }));
  }

  private void looked(PendingCommit commit, Answer answer, Throwable refusal) {
    if (answer == null) {
      commit.back();
      commit.end(refusal(commit, refusal));
    } else {
      answered(commit, answer);
    }
  }

  private static Ending refusal(PendingCommit commit, Throwable failure) {
    return new Ending(
        commit.isDoubtful()
            ? Failing.unknown("commit refused", failure)
            : Failing.refused("commit refused", failure));
  }

  /** Asks again, as long as no other node can own the shard. */
  private void waitOrEnd(PendingCommit commit, Throwable failure) {
    if (patience.isOver()) {
      commit.end(new Ending(Failing.unknown("no answer to a commit", failure)));
      return;
    }
    patience.pause(
        commit,
        () ->
            serial.execute(
                () -> {
                  commit.waiting(false);
                  if (patience.isOver()) {
                    commit.end(new Ending(Failing.unknown("no answer to a commit", failure)));
                  }
                  proceed();
                }));
  }
}
