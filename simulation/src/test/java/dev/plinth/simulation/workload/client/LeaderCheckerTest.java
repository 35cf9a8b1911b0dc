package dev.plinth.simulation.workload.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.simulation.workload.client.LeaderChecker.Heard;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaderCheckerTest {
  private static final Heard GAP = new Heard.Gap();

  private static Heard leader(long term) {
    return new Heard.Leader(term, term * 10);
  }

  private static Heard ended(long term) {
    return new Heard.NoLeader(term);
  }

  private static final List<Heard> STORY =
      List.of(ended(3), leader(4), ended(4), leader(5), leader(6), ended(6), leader(7), ended(7));

  @Test
  void everyTermInOrder_isRight() {
    LeaderChecker.checkOrder(STORY);
    LeaderChecker.checkOrder(List.of());
    LeaderChecker.checkOrder(List.of(ended(0), leader(1)));
    assertEquals(Optional.of(7L), LeaderChecker.lastEnded(STORY));
    assertEquals(Optional.empty(), LeaderChecker.lastEnded(List.of(leader(1))));
  }

  @Test
  void storyWithoutOneOfItsTerms_isSeen() {
    for (Heard term : List.of(leader(4), leader(5), leader(6), leader(7))) {
      List<Heard> spoiled = new ArrayList<>(STORY);
      spoiled.remove(term);
      assertThrows(AssertionError.class, () -> LeaderChecker.checkOrder(spoiled), "" + term);
    }
  }

  @Test
  void termThatIsToldTwice_orLate_isSeen() {
    for (int i = 1; i < STORY.size(); i++) {
      List<Heard> twice = new ArrayList<>(STORY);
      twice.add(i, STORY.get(i));
      assertThrows(AssertionError.class, () -> LeaderChecker.checkOrder(twice), "" + twice);
    }
    List<Heard> late = List.of(leader(5), leader(6), leader(5));
    assertThrows(AssertionError.class, () -> LeaderChecker.checkOrder(late));
  }

  @Test
  void termsMayBeLeftOut_onlyInAGap() {
    LeaderChecker.checkOrder(List.of(leader(4), GAP, ended(4), leader(9), ended(9), leader(10)));
    LeaderChecker.checkOrder(List.of(leader(4), GAP, ended(8), leader(9)));
    List<Heard> after = List.of(leader(4), GAP, ended(8), leader(9), leader(11));
    assertThrows(AssertionError.class, () -> LeaderChecker.checkOrder(after));
    List<Heard> back = List.of(leader(4), GAP, leader(3));
    assertThrows(AssertionError.class, () -> LeaderChecker.checkOrder(back));
  }

  @Test
  void termWithTwoTokens_isSeen() {
    LeaderChecker checker = new LeaderChecker();
    checker.elected(1, 10);
    checker.elected(1, 10);
    assertThrows(AssertionError.class, () -> checker.elected(1, 11));
  }

  @Test
  void tokenThatDoesNotRiseWithTerms_isSeen() {
    LeaderChecker checker = new LeaderChecker();
    checker.elected(2, 20);
    checker.elected(1, 10);
    checker.checkTerms();
    checker.elected(3, 15);
    assertThrows(AssertionError.class, checker::checkTerms);
  }
}
