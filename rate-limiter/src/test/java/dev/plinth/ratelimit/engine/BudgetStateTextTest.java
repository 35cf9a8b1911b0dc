package dev.plinth.ratelimit.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetStateTextTest {
  private static final long NOW = 1_767_225_600_000_000L;

  private static String text(Limit limit, long used) {
    LimitState level = LimitState.fresh(limit, NOW).charge(used, NOW);
    return new BudgetState(3, NOW, new OutstandingLeases(7, 8, 9), level).text();
  }

  @Test
  void text_isTheSameInEveryStore() {
    assertEquals(
        "v1 b 3 1767225600000000 7 8 9 100 10001 2 1767225600005000 1",
        text(new Limit.Bucket(100, 10_001, 2), 1));
    assertEquals(
        "v1 p 3 1767225600000000 7 8 9 1000000 3 1767225600666666 2",
        text(new Limit.Paced(1_000_000, 3), 2));
    assertEquals(
        "v1 f 3 1767225600000000 7 8 9 5 60000000 29453760 2",
        text(new Limit.FixedWindow(5, 60_000_000), 2));
    assertEquals(
        "v1 c 3 1767225600000000 7 8 9 5 DAY Europe/Berlin 1767222000000000 1767308400000000 2",
        text(new Limit.CalendarWindow(5, CalendarUnit.DAY, ZoneId.of("Europe/Berlin")), 2));
    assertEquals(
        "v1 s 3 1767225600000000 7 8 9 5 60000000 29453760 2 0",
        text(new Limit.SlidingCounter(5, 60_000_000), 2));
    assertEquals(
        "v1 l 3 1767225600000000 7 8 9 5 60000000 1767225600000000 2",
        text(new Limit.SlidingLog(5, 60_000_000), 2));
    assertEquals(
        "v1 l 3 1767225600000000 7 8 9 5 60000000", text(new Limit.SlidingLog(5, 60_000_000), 0));
  }

  @Test
  void text_readsAsItWasWritten() {
    for (String text :
        List.of(
            "v1 b 3 1767225600000000 0 0 0 100 10000 1 1767225600010000 0",
            "v1 p 3 1767225600000000 7 8 9 1000000 3 1767225600666666 2",
            "v1 f 3 1767225600000000 7 8 9 5 60000000 29453760 2",
            "v1 c 3 17672256 7 8 9 5 MONTH Asia/Kolkata 1767222000000000 1767308400000000 2",
            "v1 s 3 1767225600000000 7 8 9 5 60000000 29453760 2 1",
            "v1 l 3 1767225600000000 7 8 9 5 60000000 1 2 3 4",
            "v1 l 3 1767225600000000 7 8 9 5 60000000")) {
      assertEquals(text, BudgetState.parse(text).text());
    }
  }

  @Test
  void text_thatIsNone_isRefused_withWhatIsWrong() {
    refuses("", "format");
    refuses("v2 b 3 1 0 0 0 100 10000 1 1 0", "format v2 (expected: v1)");
    refuses("v1 x 3 1 0 0 0 100 10000 1 1 0", "x (expected: b, p, f, c, s or l)");
    refuses("v1 b 3 1 0 0 0 100 10000 1 1", "words (expected: more)");
    refuses("v1 b 3 1 0 0 0 100 10000 1 1 0 0", "0 (expected: the end)");
    refuses("v1 b 3 1 0 0 0 100 one 1 1 0", "one (expected: a number)");
    refuses("v1 b 3 1 0 0 0 100 10000 0 1 0", "0 (expected: 1 or more)");
    refuses("v1 l 3 1 0 0 0 5 60000000 1", "time and cost in turn");
    refuses("v1 c 3 1 0 0 0 5 DAY Mars 1 2 3", "Mars");
    refuses("v1 c 3 1 0 0 0 5 EON UTC 1 2 3", "EON");
  }

  private static void refuses(String text, String why) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> BudgetState.parse(text), text);
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }
}
