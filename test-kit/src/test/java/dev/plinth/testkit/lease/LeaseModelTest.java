package dev.plinth.testkit.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.testkit.History.Ending;
import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.lease.LeaseAnswer.Held;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import dev.plinth.testkit.linear.Linearizability;
import dev.plinth.testkit.linear.LinearizabilityResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Times are in milliseconds; every lease has a ttl of 100. */
class LeaseModelTest {
  private static final Duration TTL = Duration.ofMillis(100);

  private final List<Operation<LeaseCall, LeaseAnswer>> history = new ArrayList<>();

  @Test
  void V1_tokensRise() {
    granted("ann", 5, 0, 1);
    ok(release(5), Outcome.RELEASED, 2, 3);
    granted("bob", 6, 4, 5);
    assertGood(true);
    ok(release(6), Outcome.RELEASED, 6, 7);
    granted("ann", 6, 8, 9);
    assertGood(false);
  }

  @Test
  void V2_oneExclusiveHolder() {
    granted("ann", 1, 0, 1);
    granted("bob", 2, 10, 11);
    assertGood(false);
  }

  @Test
  void V2_releaseUnderWay_letsTheNextIn() {
    granted("ann", 1, 0, 1);
    ok(release(1), Outcome.RELEASED, 5, 50);
    granted("bob", 2, 10, 11);
    assertGood(true);
    ok(read(), answer(Outcome.SHOWN, held("ann", 1)), 12, 13);
    assertGood(false);
  }

  @Test
  void V2_sharedHolders_goTogether_andWithNoOther() {
    ok(shared("ann"), answer(Outcome.GRANTED, new Held("ann", 1, true, 1)), 0, 1);
    ok(shared("bob"), answer(Outcome.GRANTED, new Held("bob", 2, true, 1)), 2, 3);
    assertGood(true);
    granted("cid", 3, 4, 5);
    assertGood(false);
  }

  @Test
  void V2_sharedHolder_mayWiden_whenAlone() {
    ok(shared("ann"), answer(Outcome.GRANTED, new Held("ann", 1, true, 1)), 0, 1);
    ok(acquire("ann"), answer(Outcome.REENTERED, new Held("ann", 1, false, 2)), 2, 3);
    assertGood(true);
    ok(shared("bob"), answer(Outcome.GRANTED, new Held("bob", 2, true, 1)), 4, 5);
    assertGood(false);
  }

  @Test
  void V5_holdRunsOut_whenItsTimeIsOver() {
    granted("ann", 1, 0, 1);
    granted("bob", 2, 90, 101);
    assertGood(true);
  }

  @Test
  void V5_holdDoesNotRunOutEarly() {
    granted("ann", 1, 0, 1);
    granted("bob", 2, 90, 99);
    assertGood(false);
  }

  @Test
  void V5_renewalCountsFromItsInvocation() {
    granted("ann", 1, 0, 1);
    ok(LeaseCall.of(Kind.RENEW, "k", 1), Outcome.RENEWED, 50, 60);
    granted("bob", 2, 120, 149);
    assertGood(false);
    history.remove(2);
    granted("bob", 2, 120, 151);
    assertGood(true);
  }

  @Test
  void V5_whatReturnedBeforeTheEnd_cannotFollowIt() {
    granted("ann", 1, 0, 1);
    granted("bob", 2, 40, 150);
    ok(release(2), Outcome.NOT_HELD, 60, 90);
    assertGood(true);
    history.remove(2);
    ok(release(2), Outcome.RELEASED, 60, 90);
    assertGood(false);
  }

  @Test
  void V5_lostRenewal_neverHelps() {
    granted("ann", 1, 0, 1);
    lost(LeaseCall.of(Kind.RENEW, "k", 1), 50);
    granted("bob", 2, 95, 101);
    assertGood(true);
  }

  @Test
  void V5_ranOutButNotEnded_isStaleUnderItsOwnToken_andARenewalSavesIt() {
    granted("ann", 1, 0, 1);
    ok(LeaseCall.of(Kind.VALIDATE, "k", 1), LeaseAnswer.stale(1), 101, 102);
    ok(LeaseCall.of(Kind.RENEW, "k", 1), Outcome.RENEWED, 103, 104);
    ok(LeaseCall.of(Kind.VALIDATE, "k", 1), Outcome.VALID, 105, 106);
    assertGood(true);
    ok(LeaseCall.of(Kind.VALIDATE, "k", 1), LeaseAnswer.stale(1), 107, 108);
    assertGood(false);
  }

  @Test
  void V5_ranOutButNotEnded_besideOthers_isStaleUnderTheirToken_andStillHeld() {
    Held ann = new Held("ann", 1, true, 1);
    Held bob = new Held("bob", 2, true, 1);
    ok(shared("ann"), answer(Outcome.GRANTED, ann), 0, 1);
    ok(shared("bob"), answer(Outcome.GRANTED, bob), 60, 61);
    ok(LeaseCall.of(Kind.VALIDATE, "k", 1), LeaseAnswer.stale(2), 101, 102);
    ok(LeaseCall.of(Kind.RENEW, "k", 1), Outcome.RENEWED, 103, 104);
    assertGood(true);
    ok(LeaseCall.of(Kind.VALIDATE, "k", 1), LeaseAnswer.stale(2), 105, 106);
    assertGood(false);
  }

  @Test
  void V7_secondEffectOfOneCall_shows() {
    ok(acquire("ann"), answer(Outcome.REENTERED, new Held("ann", 1, false, 2)), 0, 50);
    assertGood(false);
  }

  @Test
  void V8_staleToken_changesNothing() {
    granted("ann", 1, 0, 1);
    ok(release(1), Outcome.RELEASED, 2, 3);
    granted("bob", 2, 4, 5);
    ok(release(1), Outcome.NOT_HELD, 6, 7);
    ok(LeaseCall.of(Kind.RENEW, "k", 1), Outcome.LOST, 8, 9);
    ok(LeaseCall.of(Kind.VALIDATE, "k", 1), LeaseAnswer.stale(2), 10, 11);
    ok(LeaseCall.of(Kind.VALIDATE, "k", 2), Outcome.VALID, 12, 13);
    assertGood(true);
    ok(release(1), Outcome.RELEASED, 14, 15);
    assertGood(false);
  }

  @Test
  void reentry_takesAsManyReleases() {
    granted("ann", 1, 0, 1);
    ok(acquire("ann"), answer(Outcome.REENTERED, new Held("ann", 1, false, 2)), 2, 3);
    ok(release(1), Outcome.STILL_HELD, 4, 5);
    ok(release(1), Outcome.RELEASED, 6, 7);
    assertGood(true);
    ok(release(1), Outcome.STILL_HELD, 8, 9);
    assertGood(false);
  }

  @Test
  void refusal_showsWhoHoldsIt() {
    granted("ann", 1, 0, 1);
    ok(acquire("bob"), answer(Outcome.HELD, held("ann", 1)), 2, 3);
    assertGood(true);
    ok(acquire("bob"), Outcome.HELD, 4, 5);
    assertGood(false);
  }

  @Test
  void lostGrant_isLearnedWhenSomebodySeesIt() {
    lost(acquire("ann"), 0);
    ok(acquire("bob"), answer(Outcome.HELD, held("ann", 7)), 10, 11);
    ok(release(7), Outcome.RELEASED, 12, 13);
    granted("bob", 8, 14, 15);
    assertGood(true);
    ok(read(), answer(Outcome.SHOWN, held("ann", 7)), 16, 17);
    assertGood(false);
  }

  @Test
  void lostGrant_hasATokenThatRose() {
    granted("bob", 9, 0, 1);
    ok(release(9), Outcome.RELEASED, 2, 3);
    lost(acquire("ann"), 4);
    ok(read(), answer(Outcome.SHOWN, held("ann", 7)), 6, 7);
    assertGood(false);
  }

  @Test
  void lostRelease_mayComeLate_butOnce() {
    granted("ann", 1, 0, 1);
    lost(release(1), 2);
    ok(read(), answer(Outcome.SHOWN, held("ann", 1)), 4, 5);
    ok(read(), answer(Outcome.SHOWN), 6, 7);
    assertGood(true);
    ok(read(), answer(Outcome.SHOWN, held("ann", 1)), 8, 9);
    assertGood(false);
  }

  @Test
  void transfer_staleAtOnce() {
    granted("ann", 1, 0, 1);
    ok(LeaseCall.transfer("k", 1, "bob"), answer(Outcome.TRANSFERRED, held("bob", 2)), 2, 3);
    ok(release(1), Outcome.NOT_HELD, 4, 5);
    ok(release(2), Outcome.RELEASED, 6, 7);
    assertGood(true);
  }

  @Test
  void forcedRelease_endsThemAll() {
    granted("ann", 1, 0, 1);
    ok(LeaseCall.of(Kind.FORCE_RELEASE, "k"), answer(Outcome.FORCED, held("ann", 1)), 2, 3);
    ok(read(), answer(Outcome.SHOWN), 4, 5);
    assertGood(true);
    ok(release(1), Outcome.RELEASED, 6, 7);
    assertGood(false);
  }

  private void granted(String owner, long token, long invoked, long returned) {
    ok(acquire(owner), answer(Outcome.GRANTED, held(owner, token)), invoked, returned);
  }

  private void ok(LeaseCall call, Outcome outcome, long invoked, long returned) {
    ok(call, LeaseAnswer.of(outcome), invoked, returned);
  }

  private void ok(LeaseCall call, LeaseAnswer answer, long invoked, long returned) {
    history.add(
        new Operation<>(
            history.size(),
            call,
            Duration.ofMillis(invoked).toNanos(),
            Duration.ofMillis(returned).toNanos(),
            Ending.OK,
            Optional.of(answer)));
  }

  private void lost(LeaseCall call, long invoked) {
    history.add(
        new Operation<>(
            history.size(),
            call,
            Duration.ofMillis(invoked).toNanos(),
            Long.MAX_VALUE,
            Ending.UNKNOWN,
            Optional.empty()));
  }

  private static LeaseCall acquire(String owner) {
    return LeaseCall.acquire("k", owner, false, TTL);
  }

  private static LeaseCall shared(String owner) {
    return LeaseCall.acquire("k", owner, true, TTL);
  }

  private static LeaseCall release(long token) {
    return LeaseCall.of(Kind.RELEASE, "k", token);
  }

  private static LeaseCall read() {
    return LeaseCall.of(Kind.READ, "k");
  }

  private static Held held(String owner, long token) {
    return new Held(owner, token, false, 1);
  }

  private static LeaseAnswer answer(Outcome outcome, Held... holds) {
    return LeaseAnswer.of(outcome, holds);
  }

  private void assertGood(boolean good) {
    LinearizabilityResult linearizabilityResult =
        Linearizability.check(new LeaseModel(), history, 100_000);
    assertEquals(
        good,
        linearizabilityResult instanceof LinearizabilityResult.Linearizable,
        linearizabilityResult::toString);
  }
}
