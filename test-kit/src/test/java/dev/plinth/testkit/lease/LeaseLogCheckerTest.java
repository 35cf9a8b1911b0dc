package dev.plinth.testkit.lease;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.History.Ending;
import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.lease.LogCall.Item;
import dev.plinth.testkit.lease.LogCall.Kind;
import dev.plinth.testkit.lease.LogCall.Mode;
import dev.plinth.testkit.lease.LogEvent.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Histories that are right, and each spoiled in one way. Times in milliseconds. */
class LeaseLogCheckerTest {
  private static final Item A = new Item("a", Mode.EXCLUSIVE, 0);
  private static final Item B = new Item("b", Mode.EXCLUSIVE, 0);
  private static final Item A_SHARED = new Item("a", Mode.SHARED, 0);
  private static final Duration TTL = Duration.ofMillis(100);
  private static final Duration DELAY = Duration.ofMillis(50);

  private final List<Operation<LogCall, LogAnswer>> calls = new ArrayList<>();
  private final List<LogEvent> log = new ArrayList<>();

  @BeforeEach
  void policy() {
    call(0, 1, LogCall.policy(3), LogAnswer.succeeded());
  }

  @Test
  void oneAfterTheOther_isRight() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A);
    release(12, 13, 1, LogAnswer.succeeded());
    acquire(14, 15, "bob", LogAnswer.succeeded(2L), A);
    release(16, 17, 2, LogAnswer.succeeded());
    events("grant a ann 1", "release a ann 1", "grant a bob 2", "release a bob 2");
    right();
  }

  @Test
  void twoExclusiveHolders_areWrong() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A);
    acquire(10, 15, "bob", LogAnswer.succeeded(2L), A);
    events("grant a ann 1", "grant a bob 2", "release a ann 1", "release a bob 2");
    wrong("do not go together");
  }

  @Test
  void sharedBesideExclusive_isWrong_besideShared_right() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A_SHARED);
    acquire(10, 15, "bob", LogAnswer.succeeded(2L), A_SHARED);
    events("grant a ann 1", "grant a bob 2", "release a ann 1", "release a bob 2");
    right();
    acquire(10, 15, "cid", LogAnswer.succeeded(3L), A);
    log.add(2, event("grant a cid 3"));
    log.add(event("release a cid 3"));
    wrong("do not go together");
  }

  @Test
  void tokenThatDoesNotRise_isWrong() {
    acquire(10, 11, "ann", LogAnswer.succeeded(2L), A);
    acquire(14, 15, "bob", LogAnswer.succeeded(1L), B);
    events("grant a ann 2", "grant b bob 1", "release a ann 2", "release b bob 1");
    wrong("did not rise");
  }

  @Test
  void refusedCall_thatStandsInTheLog_isWrong() {
    acquire(10, 11, "ann", LogAnswer.refused(), A);
    events("grant a ann 1", "expire a ann 1");
    wrong("refused, but granted");
  }

  @Test
  void unansweredCall_mayBeThere_orNot() {
    unanswered(10, "ann", A);
    right();
    events("grant a ann 1", "expire a ann 1");
    right();
  }

  @Test
  void grantThatIsNotInTheLog_orUnderAnotherToken_isWrong() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A);
    wrong("other tokens");
    events("grant a ann 2", "release a ann 2");
    wrong("other tokens");
  }

  @Test
  void forcedRelease_isAnEndOfItsOwn() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A);
    call(12, 13, LogCall.of(Kind.FORCE_RELEASE, 1), LogAnswer.succeeded());
    events("grant a ann 1", "force a ann 1");
    right();
    log.set(1, event("release a ann 1"));
    wrong("not in the log");
  }

  @Test
  void grantThatNobodyAskedFor_isWrong() {
    events("grant a ann 1", "release a ann 1");
    wrong("unasked");
  }

  @Test
  void setInPart_isWrong_alsoWithoutAnAnswer() {
    unanswered(10, "ann", A, B);
    events("grant a ann 1", "expire a ann 1");
    wrong("a set in part");
  }

  @Test
  void setWithAnotherEventBetween_isWrong() {
    acquire(10, 20, "ann", LogAnswer.succeeded(1L, 3L), A, B);
    acquire(10, 20, "bob", LogAnswer.succeeded(2L), new Item("c", Mode.EXCLUSIVE, 0));
    events("grant a ann 1", "grant c bob 2", "grant b ann 3");
    events("release a ann 1", "release c bob 2", "release b ann 3");
    wrong("not in one step");
  }

  @Test
  void weightsAboveTheCapacity_areWrong_unlessItMayHaveBeenRaised() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), permits(2));
    acquire(20, 30, "bob", LogAnswer.succeeded(2L), permits(2));
    events("grant p ann 1", "grant p bob 2", "release p ann 1", "release p bob 2");
    wrong("4 held of 3");
    call(29, 40, LogCall.policy(4), LogAnswer.succeeded());
    right();
  }

  @Test
  void capacityThatWasLoweredBefore_doesNotCount() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), permits(1));
    call(12, 13, LogCall.policy(1), LogAnswer.succeeded());
    acquire(20, 30, "bob", LogAnswer.succeeded(2L), permits(1));
    events("grant p ann 1", "grant p bob 2", "release p ann 1", "release p bob 2");
    wrong("2 held of 1");
  }

  @Test
  void effectsAgainstRealTime_areWrong() {
    acquire(10, 11, "ann", LogAnswer.succeeded(2L), A);
    acquire(14, 15, "bob", LogAnswer.succeeded(1L), B);
    events("grant b bob 1", "grant a ann 2", "release a ann 2", "release b bob 1");
    wrong("order of real time");
  }

  @Test
  void releaseThatIsNotInTheLog_isWrong() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A);
    release(12, 13, 1, LogAnswer.succeeded());
    events("grant a ann 1", "expire a ann 1");
    wrong("not in the log");
  }

  @Test
  void expiryBeforeItsTime_isWrong_andARenewalCounts() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A);
    acquire(10, 110, "bob", LogAnswer.succeeded(2L), A);
    events("grant a ann 1", "expire a ann 1", "grant a bob 2", "expire a bob 2");
    right();
    call(15, 16, LogCall.of(Kind.RENEW, 1), LogAnswer.succeeded());
    wrong("expired early");
  }

  @Test
  void grantWithinALockDelay_isWrong_butNotATransfer() {
    call(10, 11, LogCall.acquire("ann", List.of(A_SHARED), TTL, DELAY), LogAnswer.succeeded(1L));
    acquire(10, 11, "bob", LogAnswer.succeeded(2L), A_SHARED);
    call(112, 113, LogCall.transfer(2, "cid"), LogAnswer.succeeded(3L));
    events("grant a ann 1", "grant a bob 2", "expire a ann 1", "hand a bob 2", "grant a cid 3");
    events("release a cid 3");
    right();
    acquire(120, 159, "dan", LogAnswer.succeeded(4L), A_SHARED);
    events("grant a dan 4", "release a dan 4");
    wrong("lock-delay");
  }

  @Test
  void grantAfterALockDelay_isRight_andAShorterOneDoesNotReplaceIt() {
    call(10, 11, LogCall.acquire("ann", List.of(A_SHARED), TTL, DELAY), LogAnswer.succeeded(1L));
    acquire(12, 13, "bob", LogAnswer.succeeded(2L), A_SHARED);
    acquire(150, 160, "cid", LogAnswer.succeeded(3L), A_SHARED);
    events("grant a ann 1", "grant a bob 2", "expire a ann 1", "expire a bob 2");
    events("grant a cid 3", "release a cid 3");
    right();
    calls.remove(calls.size() - 1);
    acquire(150, 155, "cid", LogAnswer.succeeded(3L), A_SHARED);
    wrong("lock-delay");
  }

  @Test
  void transferOfWhatWasNotHeld_isWrong() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A);
    call(12, 13, LogCall.transfer(1, "bob"), LogAnswer.succeeded(2L));
    events("grant a ann 1", "release a ann 1", "grant a bob 2", "release a bob 2");
    wrong("from nobody");
  }

  @Test
  void holdThatNeverEnds_isWrong() {
    acquire(10, 11, "ann", LogAnswer.succeeded(1L), A);
    events("grant a ann 1");
    wrong("not ended");
  }

  private static Item permits(int weight) {
    return new Item("p", Mode.SEMAPHORE, weight);
  }

  private void acquire(long from, long to, String owner, LogAnswer answer, Item... items) {
    call(from, to, LogCall.acquire(owner, List.of(items), TTL, Duration.ZERO), answer);
  }

  private void unanswered(long from, String owner, Item... items) {
    LogCall call = LogCall.acquire(owner, List.of(items), TTL, Duration.ZERO);
    calls.add(
        new Operation<>(
            1, call, from * 1_000_000, Long.MAX_VALUE, Ending.UNKNOWN, Optional.empty()));
  }

  private void release(long from, long to, long token, LogAnswer answer) {
    call(from, to, LogCall.of(Kind.RELEASE, token), answer);
  }

  private void call(long from, long to, LogCall call, LogAnswer answer) {
    calls.add(
        new Operation<>(1, call, from * 1_000_000, to * 1_000_000, Ending.OK, Optional.of(answer)));
  }

  private void events(String... lines) {
    for (String line : lines) {
      log.add(event(line));
    }
  }

  private static LogEvent event(String line) {
    String[] words = line.split(" ");
    Type type =
        switch (words[0]) {
          case "grant" -> Type.GRANTED;
          case "release" -> Type.RELEASED;
          case "expire" -> Type.EXPIRED;
          case "force" -> Type.FORCED;
          default -> Type.TRANSFERRED;
        };
    return new LogEvent(type, words[1], words[2], Long.parseLong(words[3]));
  }

  private void right() {
    assertDoesNotThrow(() -> LeaseLogChecker.check(calls, log));
  }

  private void wrong(String what) {
    AssertionError thrown =
        assertThrows(AssertionError.class, () -> LeaseLogChecker.check(calls, log));
    assertTrue(thrown.getMessage().contains(what), thrown.getMessage());
  }
}
