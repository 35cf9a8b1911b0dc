package dev.plinth.registry.core;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** The members of one group, those that ended lately, and those that a mass expiry holds back. */
final class MemberGroup {
  static final int MAX_MEMBERS = 10_000;

  /** Members are held back for so many ttls at most. */
  static final int HOLD_TTLS = 3;

  // A store bounds the rows of one commit.
  static final int MAX_WRITES = 64;

  final RegistryNamespace namespace;
  final String name;
  final TreeMap<String, Member> there = new TreeMap<>();
  final Map<String, Member> ended = new HashMap<>();
  final ExpiryBudget budget = new ExpiryBudget();

  /** Of the members that are there, as watchers were told. */
  long checksum;

  /** Those whose hold is over first come first. */
  private final TreeSet<Member> held =
      new TreeSet<>(
          Comparator.<Member>comparingLong(member -> member.heldUntil)
              .thenComparingLong(member -> member.incarnation));

  private final List<Release> releases = new ArrayList<>(0);
  private Tx.Timer timer;

  /** An operator's call that ends the hold. */
  private static final class Release {
    final BiConsumer<Integer, Tx> done;
    int count;

    Release(BiConsumer<Integer, Tx> done) {
      this.done = done;
    }
  }

  /** How a member ends that may be held back no more. */
  @FunctionalInterface
  interface Expiry {
    void end(Member member, MemberEnd.Cause cause, Tx tx);
  }

  MemberGroup(RegistryNamespace namespace, String name) {
    this.namespace = namespace;
    this.name = name;
  }

  void admitMember() {
    if (there.size() >= MAX_MEMBERS) {
      throw new Failure.Exhausted(
          ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
          "members of group " + name,
          "group " + name + " may have no more than " + MAX_MEMBERS + " members",
          Duration.ofSeconds(1));
    }
  }

  int held() {
    return held.size();
  }

  boolean isEmpty() {
    return there.isEmpty() && ended.isEmpty();
  }

  /** It is to expire, as soon as the budget lets it. */
  void hold(Member member, long now) {
    member.heldUntil = now + HOLD_TTLS * member.session.ttl.toNanos();
    held.add(member);
  }

  /** Its session was heard of, or it ended. */
  void unhold(Member member) {
    if (member.heldUntil != null) {
      held.remove(member);
      member.heldUntil = null;
    }
  }

  /** Lets expire what the budget, the end of the hold or an operator lets, and sees to the rest. */
  void expireSome(Expiry expiry, Tx tx) {
    cancelTimer();
    long now = tx.nanos();
    while (!held.isEmpty()) {
      Member first = held.first();
      MemberEnd.Cause cause = causeOf(first, now);
      if (cause == null) {
        later(Math.min(first.heldUntil, budget.nextFree()), expiry, tx);
        break;
      }
      if (tx.writes() > MAX_WRITES) {
        later(now, expiry, tx);
        return;
      }
      countRelease(cause);
      budget.spend(now + first.session.ttl.toNanos());
      expiry.end(first, cause, tx);
    }
    finishReleases(tx);
  }

  /** Null if it is still held back. */
  private MemberEnd.Cause causeOf(Member member, long now) {
    if (!releases.isEmpty()) {
      return MemberEnd.Cause.HOLD_RELEASED;
    }
    if (budget.allows(there.size(), now)) {
      return MemberEnd.Cause.EXPIRED;
    }
    return member.heldUntil - now <= 0 ? MemberEnd.Cause.HOLD_OVER : null;
  }

  private void countRelease(MemberEnd.Cause cause) {
    if (cause == MemberEnd.Cause.HOLD_RELEASED) {
      releases.get(0).count++;
    }
  }

  private void finishReleases(Tx tx) {
    List<Release> over = List.copyOf(releases);
    releases.clear();
    over.forEach(release -> release.done.accept(release.count, tx));
  }

  /** Tells how many expired by this when all have. */
  void release(BiConsumer<Integer, Tx> done, Expiry expiry, Tx tx) {
    releases.add(new Release(done));
    expireSome(expiry, tx);
  }

  private void later(long nanos, Expiry expiry, Tx tx) {
    timer = tx.at(nanos, then -> expireSome(expiry, then));
  }

  private void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
