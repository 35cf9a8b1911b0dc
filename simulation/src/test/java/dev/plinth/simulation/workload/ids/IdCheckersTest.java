package dev.plinth.simulation.workload.ids;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class IdCheckersTest {
  private static final long SECOND = 1_000_000_000L;

  private final GivenIdsChecker ids = new GivenIdsChecker("ids", false);
  private final GivenIdsChecker strict = new GivenIdsChecker("strict", true);
  private final LossChecker losses = new LossChecker(0);
  private final WindowChecker windows = new WindowChecker();

  @Test
  void idThatIsGivenTwice_isSeen() {
    ids.given("ann", 0, 1, List.of(1L, 2L));
    ids.given("bob", 0, 1, List.of(3L));
    assertThrows(AssertionError.class, () -> ids.given("bob", 2, 3, List.of(4L, 2L)));
  }

  @Test
  void idThatDoesNotRiseForItsCaller_isSeen() {
    ids.given("ann", 0, 1, List.of(5L));
    ids.given("bob", 2, 3, List.of(4L));
    assertThrows(AssertionError.class, () -> ids.given("ann", 4, 5, List.of(3L)));
  }

  @Test
  void strictOrder_isThatOfRealTime_overAllCallers() {
    strict.given("ann", 0, 10, List.of(2L));
    strict.given("bob", 5, 15, List.of(1L));
    strict.check();
    strict.given("cid", 20, 30, List.of(4L));
    strict.given("dan", 31, 40, List.of(3L));
    assertThrows(AssertionError.class, strict::check);
    ids.given("cid", 20, 30, List.of(4L));
    ids.given("dan", 31, 40, List.of(3L));
    ids.check();
  }

  @Test
  void lossOfMoreThanABlockForEachOwner_isSeen() {
    losses.taken(0, 1, 10);
    losses.check(10 + 64, 1);
    losses.check(10 + 128, 2);
    assertThrows(AssertionError.class, () -> losses.check(11 + 64, 1));
    losses.reclaimed(5);
    assertThrows(AssertionError.class, () -> losses.check(10 + 64, 1));
  }

  @Test
  void blockGrowsWithTheRate_whichFades() {
    losses.taken(0, 0, 1000);
    losses.check(1000 + 200, 1);
    assertThrows(AssertionError.class, () -> losses.check(1000 + 201, 1));
    losses.taken(20 * SECOND, 20 * SECOND, 1000);
    assertDoesNotThrow(() -> losses.check(2000 + 227, 1)); // 200 * (1 + e^-2)
    assertThrows(AssertionError.class, () -> losses.check(2000 + 240, 1));
  }

  @Test
  void windowsOfOneWorker_thatOverlap_areSeen() {
    windows.granted(1, 1, 100, 200);
    windows.granted(1, 1, 100, 250);
    windows.granted(2, 1, 100, 200);
    windows.granted(1, 2, 250, 300);
    windows.check();
    windows.granted(1, 3, 299, 400);
    assertThrows(AssertionError.class, windows::check);
  }

  @Test
  void windowThatWasReleasedEarly_endsThere() {
    windows.granted(1, 1, 100, 200);
    windows.released(1, 1, 150);
    windows.granted(1, 2, 150, 300);
    windows.check();
    windows.granted(1, 4, 310, 320);
    windows.released(1, 2, 311);
    assertThrows(AssertionError.class, windows::check);
  }

  @Test
  void floorThatMoves_isSeen() {
    windows.granted(1, 1, 100, 200);
    assertThrows(AssertionError.class, () -> windows.granted(1, 1, 101, 200));
  }
}
