package dev.plinth.testkit.lease;

import dev.plinth.testkit.lease.LeaseAnswer.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * One key.
 *
 * @param lastToken of all that were granted and are known
 * @param notBefore a hold has run out whose time was not over before: nothing that returned earlier
 *     can follow
 */
record LeaseKeyState(List<Hold> holds, long lastToken, long notBefore) {
  static final LeaseKeyState FREE = new LeaseKeyState(List.of(), 0, Long.MIN_VALUE);

  /**
   * One owner's hold.
   *
   * @param token UNKNOWN while the answer that told it was lost
   * @param above what an unknown token is higher than
   * @param runsUntil when it can have ended by time at the earliest
   */
  record Hold(
      String owner,
      long token,
      long above,
      boolean shared,
      int entries,
      Duration ttl,
      long runsUntil) {
    static final long UNKNOWN = 0;

    boolean mayBe(long wanted) {
      return token == wanted || token == UNKNOWN && wanted > above;
    }

    /** What it looks like from outside, if this is how it looked. */
    boolean looksLike(Held held) {
      return mayBe(held.token())
          && owner.equals(held.owner())
          && shared == held.shared()
          && entries == held.entries();
    }

    Hold known(long asToken) {
      return new Hold(owner, asToken, 0, shared, entries, ttl, runsUntil);
    }

    /** The server counts from later than the call was made, so never from earlier. */
    Hold renewed(long invoked) {
      long until = Math.max(runsUntil, invoked + ttl.toNanos());
      return new Hold(owner, token, above, shared, entries, ttl, until);
    }

    Hold entered(int times, boolean stillShared) {
      return new Hold(owner, token, above, stillShared, times, ttl, runsUntil);
    }
  }

  LeaseKeyState with(Hold hold) {
    List<Hold> more = Stream.concat(holds.stream(), Stream.of(hold)).toList();
    return new LeaseKeyState(more, Math.max(lastToken, hold.token()), notBefore);
  }

  LeaseKeyState without(Hold hold) {
    return new LeaseKeyState(
        holds.stream().filter(h -> !h.equals(hold)).toList(), lastToken, notBefore);
  }

  /** The same hold after a change. */
  LeaseKeyState replace(Hold old, Hold next) {
    List<Hold> changed = holds.stream().map(hold -> hold.equals(old) ? next : hold).toList();
    return new LeaseKeyState(changed, Math.max(lastToken, next.token()), notBefore);
  }

  /** With these ended by time, for something that returned when it did; empty if that is early. */
  Optional<LeaseKeyState> ranOut(Predicate<Hold> which, long returned) {
    long latest = notBefore;
    List<Hold> left = new ArrayList<>();
    for (Hold hold : holds) {
      if (which.test(hold)) {
        latest = Math.max(latest, hold.runsUntil());
      } else {
        left.add(hold);
      }
    }
    return latest > returned
        ? Optional.empty()
        : Optional.of(new LeaseKeyState(List.copyOf(left), lastToken, latest));
  }

  /** With exactly these holds left, the others having run out. */
  Optional<LeaseKeyState> shownAs(List<Held> shown, long returned) {
    LeaseKeyState state = this;
    List<Hold> found = new ArrayList<>();
    for (Held held : shown) {
      Optional<Hold> hold =
          holds.stream().filter(h -> h.looksLike(held) && !found.contains(h)).findFirst();
      if (hold.isEmpty()) {
        return Optional.empty();
      }
      found.add(hold.get());
      state = state.replace(hold.get(), hold.get().known(held.token()));
    }
    List<Long> tokens = shown.stream().map(Held::token).toList();
    return state.ranOut(hold -> !tokens.contains(hold.token()), returned);
  }

  /**
   * A bound that every operation after one invoked so late meets anyway is no part of the state.
   */
  LeaseKeyState settled(long invoked) {
    return notBefore > invoked ? this : new LeaseKeyState(holds, lastToken, Long.MIN_VALUE);
  }

  Stream<Hold> under(long token) {
    return holds.stream().filter(hold -> hold.mayBe(token));
  }

  Optional<Hold> of(String owner) {
    return holds.stream().filter(hold -> hold.owner().equals(owner)).findFirst();
  }
}
