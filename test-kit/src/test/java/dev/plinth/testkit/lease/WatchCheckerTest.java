package dev.plinth.testkit.lease;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.testkit.lease.LogEvent.Type;
import dev.plinth.testkit.lease.WatchChecker.Told;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WatchCheckerTest {
  private static final Told GRANT_1 = new Told.Happened(Type.GRANTED, 1);
  private static final Told END_1 = new Told.Happened(Type.RELEASED, 1);
  private static final Told GRANT_2 = new Told.Happened(Type.GRANTED, 2);
  private static final Told END_2 = new Told.Happened(Type.EXPIRED, 2);
  private static final Told GAP = new Told.Gap();
  private static final List<LogEvent> LOG =
      List.of(
          new LogEvent(Type.GRANTED, "a", "ann", 1),
          new LogEvent(Type.RELEASED, "a", "ann", 1),
          new LogEvent(Type.GRANTED, "a", "bob", 2),
          new LogEvent(Type.EXPIRED, "a", "bob", 2));

  @Test
  void allEvents_onceAndInOrder_areRight() {
    right(snapshot(), GRANT_1, END_1, GRANT_2, END_2);
    right(snapshot(1), END_1, GRANT_2, END_2);
    right(snapshot());
  }

  @Test
  void gap_withTheStateOfThen_isRight() {
    right(snapshot(), GRANT_1, GAP, snapshot(2), END_2);
    right(snapshot(), GRANT_1, GAP, snapshot(2), GAP, snapshot());
  }

  @Test
  void eventLeftOut_orTwice_orOutOfOrder_isWrong() {
    wrong(snapshot(), GRANT_1, GRANT_2, END_2);
    wrong(snapshot(), GRANT_1, GRANT_1, END_1, GRANT_2, END_2);
    wrong(snapshot(), GRANT_1, GRANT_2, END_1, END_2);
    wrong(snapshot(), GRANT_1, END_1, GRANT_2);
  }

  @Test
  void snapshotOfAnotherMoment_orWithoutAGap_orFromBefore_isWrong() {
    wrong(snapshot(2), GRANT_1, END_1, GRANT_2, END_2);
    wrong(snapshot(), GRANT_1, snapshot(), GRANT_2, END_2);
    wrong(snapshot(), GRANT_1, END_1, GRANT_2, GAP, snapshot(1), END_1, GRANT_2, END_2);
    wrong(snapshot(), GRANT_1, GAP, END_1, GRANT_2, END_2);
  }

  @Test
  void watchThatEndedEarly_isRightUpToThere() {
    begun(0);
    begun(0, snapshot(2));
    begun(0, snapshot(1), END_1);
    assertThrows(AssertionError.class, () -> begun(0, snapshot(1L, 2L)));
    assertThrows(AssertionError.class, () -> begun(0, snapshot(1), GRANT_2));
  }

  @Test
  void watchThatShowsLessThanWasKnown_isWrong() {
    begun(3, snapshot(2), END_2);
    begun(3, snapshot());
    begun(4, snapshot());
    assertThrows(AssertionError.class, () -> begun(2, snapshot(1)));
    assertThrows(AssertionError.class, () -> begun(2, snapshot(1), END_1));
    assertThrows(AssertionError.class, () -> begun(4, snapshot(2)));
  }

  private static void begun(int known, Told... told) {
    WatchChecker.checkBegun(LOG, List.of(told), known);
  }

  private static Told snapshot(Long... tokens) {
    return new Told.Snapshot(Set.of(tokens));
  }

  private static Told snapshot(int token) {
    return snapshot((long) token);
  }

  private static void right(Told... told) {
    assertDoesNotThrow(() -> WatchChecker.check(LOG, List.of(told)));
  }

  private static void wrong(Told... told) {
    assertThrows(AssertionError.class, () -> WatchChecker.check(LOG, List.of(told)));
  }
}
