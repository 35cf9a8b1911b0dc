package dev.plinth.bench.ids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.bench.ids.Given.Verdict;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GivenTest {
  private static Given narrow(LongStream ids) {
    Given given = Given.narrow(100);
    ids.forEach(given::add);
    return given;
  }

  private static Given wide(long... halves) {
    Given given = Given.wide(100);
    for (int i = 0; i < halves.length; i += 2) {
      given.add(halves[i], halves[i + 1]);
    }
    return given;
  }

  @Test
  void check_ofCallersThatTookTurns_isClean() {
    Given one = narrow(LongStream.of(0, 1, 2, 5, 6, 10));
    Given other = narrow(LongStream.of(3, 4, 7, 8, 9));
    assertEquals(new Verdict(11, 0, 0), Given.check(List.of(one, other)));
  }

  @Test
  void check_ofOneIdTwice_findsIt() {
    Given one = narrow(LongStream.range(1, 50));
    Given other = narrow(LongStream.of(49, 50));
    assertEquals(new Verdict(51, 1, 0), Given.check(List.of(one, other)));
  }

  @Test
  void check_ofARangeInsideAnother_countsEveryIdOfIt() {
    Given one = narrow(LongStream.range(0, 50));
    Given other = narrow(LongStream.concat(LongStream.range(10, 20), LongStream.range(30, 40)));
    assertEquals(new Verdict(70, 20, 0), Given.check(List.of(one, other)));
  }

  @Test
  void check_ofTheSameIdAgainFromOneCaller_isTwiceAndUnordered() {
    assertEquals(new Verdict(3, 1, 1), Given.check(List.of(narrow(LongStream.of(7, 7, 8)))));
  }

  @Test
  void check_ofZeroTwice_findsIt() {
    assertEquals(new Verdict(2, 1, 1), Given.check(List.of(narrow(LongStream.of(0, 0)))));
  }

  @Test
  void check_ofIdsThatFall_saysSoAndFindsTheDuplicate() {
    Given one = narrow(LongStream.of(9, 5, 1));
    Given other = narrow(LongStream.of(5));
    assertEquals(new Verdict(4, 1, 2), Given.check(List.of(one, other)));
  }

  @Test
  void check_ofWideIds_comparesBothHalvesWithoutSign() {
    Given one = wide(1, 1, 1, -1, 2, 0);
    Given other = wide(1, 2, -1, 0);
    assertEquals(new Verdict(5, 0, 0), Given.check(List.of(one, other)));
  }

  @Test
  void check_ofAWideIdTwice_findsIt() {
    assertEquals(new Verdict(4, 1, 1), Given.check(List.of(wide(3, 4, 1, 2), wide(1, 2, 1, 3))));
  }

  @Test
  void hasRoomFor_isTrueOnlyWhileTheWorstCaseFits() {
    Given given = Given.narrow(8);
    assertTrue(given.hasRoomFor(3));
    LongStream.of(1, 3, 5).forEach(given::add);
    assertTrue(given.hasRoomFor(1));
    assertFalse(given.hasRoomFor(2));
    given.add(7);
    assertEquals(new Verdict(4, 0, 0), Given.check(List.of(given)));
  }
}
