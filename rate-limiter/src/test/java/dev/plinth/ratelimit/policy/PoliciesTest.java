package dev.plinth.ratelimit.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.policy.Limit.Bucket;
import dev.plinth.ratelimit.policy.Limit.CalendarWindow;
import dev.plinth.ratelimit.policy.Limit.Concurrency;
import dev.plinth.ratelimit.policy.Limit.FixedWindow;
import dev.plinth.ratelimit.policy.Limit.Paced;
import dev.plinth.ratelimit.policy.Limit.SlidingCounter;
import dev.plinth.ratelimit.policy.Limit.SlidingLog;
import dev.plinth.ratelimit.policy.Limit.Unlimited;
import dev.plinth.ratelimit.policy.Rule.Counting;
import dev.plinth.ratelimit.policy.Rule.Enforcement;
import dev.plinth.ratelimit.policy.Rule.FailMode;
import dev.plinth.ratelimit.policy.Rule.LeaseRule;
import dev.plinth.ratelimit.policy.Rule.Match;
import dev.plinth.ratelimit.policy.Rule.Rate;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.ManualTx;
import dev.plinth.shards.store.Row;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PoliciesTest {
  private static final String SHOP = "shop";
  private static final Optional<Long> ANY = Optional.empty();

  private final ManualClock clock = new ManualClock();
  private final ManualTx tx = ManualTx.direct(clock);
  private final PolicyApp app = new PolicyApp(clock);
  private final Policies policies = app.open(List.of(), tx);

  private static Rule rule(String name, Limit limit) {
    return Rule.of(name, List.of(), limit);
  }

  private static Rule bucket(String name, long burst) {
    return rule(name, new Bucket(burst, 10_000, 1));
  }

  private static List<Long> versions(Policy policy) {
    return policy.rules().stream().map(Rule::version).toList();
  }

  @Test
  void put_raisesTheVersion_ofTheRulesThatCountOtherwiseOnly() {
    assertEquals(
        List.of(1L, 1L),
        versions(policies.put(SHOP, List.of(bucket("a", 5), bucket("b", 5)), ANY, tx)));
    Policy second =
        policies.put(SHOP, List.of(bucket("a", 6), bucket("b", 5), bucket("c", 5)), ANY, tx);
    assertEquals(2, second.version());
    assertEquals(List.of(2L, 1L, 2L), versions(second));
  }

  @Test
  void whatTouchesNoBudget_leavesTheRuleItsVersion() {
    policies.put(SHOP, List.of(bucket("a", 5)), ANY, tx);
    Rule other =
        new Rule(
            "a",
            0,
            List.of(new Match("user", "")),
            new Counting(new Bucket(5, 10_000, 1), Optional.empty(), OnChange.RESET),
            new Enforcement(true, 500, FailMode.CLOSED, 9),
            Optional.of(new LeaseRule(100, Duration.ofSeconds(1), 8, 1000)),
            List.of(),
            Optional.empty());
    assertEquals(List.of(1L), versions(policies.put(SHOP, List.of(other), ANY, tx)));
  }

  @Test
  void versions_neverFall_overADeleteAndARestart() {
    policies.put(SHOP, List.of(bucket("a", 5)), ANY, tx);
    policies.put(SHOP, List.of(bucket("a", 5)), ANY, tx);
    assertTrue(policies.delete(SHOP, ANY, tx));
    assertEquals(0, tx.deleted(), "the last version must stay");
    assertFalse(policies.delete(SHOP, ANY, tx), "there is none any more");
    Policies after = app.open(tx.stored(), tx);
    assertTrue(after.find(SHOP).isEmpty());
    Policy again = after.put(SHOP, List.of(bucket("a", 5)), Optional.of(0L), tx);
    assertEquals(4, again.version());
    assertEquals(List.of(4L), versions(again), "its budgets may be of a rule with this name");
  }

  @Test
  void expectedVersion_isThatOfNow_and0OfNone() {
    assertConflict(0, 7, () -> policies.put(SHOP, List.of(bucket("a", 5)), Optional.of(7L), tx));
    policies.put(SHOP, List.of(bucket("a", 5)), Optional.of(0L), tx);
    assertConflict(1, 0, () -> policies.put(SHOP, List.of(bucket("a", 5)), Optional.of(0L), tx));
    assertConflict(1, 2, () -> policies.delete(SHOP, Optional.of(2L), tx));
    assertTrue(policies.delete(SHOP, Optional.of(1L), tx));
    assertConflict(0, 2, () -> policies.delete(SHOP, Optional.of(2L), tx));
    assertEquals(2, tx.events().size(), "what is refused changes nothing");
  }

  private static void assertConflict(long current, long expected, Runnable call) {
    Failure.Conflict conflict = assertThrows(Failure.Conflict.class, call::run);
    assertEquals(ErrorReason.ERROR_REASON_REVISION_CONFLICT, conflict.reason());
    assertEquals("" + current, conflict.metadata().get("current"));
    assertEquals("" + expected, conflict.metadata().get("expected"));
  }

  @Test
  void unknown_isSaidByName() {
    Failure.Missing missing = assertThrows(Failure.Missing.class, () -> policies.get(SHOP));
    assertEquals(ErrorReason.ERROR_REASON_POLICY_UNKNOWN, missing.reason());
    assertEquals(SHOP, missing.resource().name());
  }

  @Test
  void watchers_areToldOfEveryChange_andOfTheEnd() {
    Policy put = policies.put(SHOP, List.of(bucket("a", 5)), ANY, tx);
    policies.delete(SHOP, ANY, tx);
    assertEquals(
        List.of(new PolicyChange(SHOP, Optional.of(put)), new PolicyChange(SHOP, Optional.empty())),
        tx.events().stream().map(event -> event.body()).toList());
  }

  @Test
  void list_leavesOutWhatWasDeleted() {
    for (String domain : List.of("c", "a", "b", "d")) {
      policies.put(domain, List.of(bucket("a", 5)), ANY, tx);
    }
    policies.delete("b", ANY, tx);
    assertEquals(List.of("a", "c"), domains(policies.list("", 2)));
    assertEquals(List.of("d"), domains(policies.list("c", 2)));
  }

  private static List<String> domains(List<Policy> found) {
    return found.stream().map(Policy::domain).toList();
  }

  @Test
  void row_canBeRead_byPeopleAndByUs() {
    Rule all =
        new Rule(
            "per-tenant",
            0,
            List.of(
                new Match("tenant", ""),
                new Match("route", "/pay*", true, true),
                new Match("a b", "-")),
            new Counting(
                new Bucket(100, 10_000, 1),
                Optional.of(new Rate(100, Duration.ofSeconds(1))),
                OnChange.PROPORTIONAL),
            new Enforcement(false, 250, FailMode.OPEN, 7),
            Optional.of(new LeaseRule(100, Duration.ofMillis(500), 8, -1)),
            List.of("fixed", "day"),
            Optional.of(new Rule.Envoy("a limit", true, "{\"a\":1}")));
    Policy put =
        policies.put(
            SHOP,
            List.of(
                all,
                rule("fixed", new FixedWindow(5, 1_000_000)),
                rule("day", new CalendarWindow(9, CalendarUnit.DAY, ZoneId.of("Europe/Berlin"))),
                rule("counter", new SlidingCounter(5, 60_000_000)),
                rule("log", new SlidingLog(5, 60_000_000)),
                rule("paced", new Paced(1, 3)),
                rule("free", new Unlimited()),
                rule("slots", new Concurrency(12))),
            ANY,
            tx);
    assertEquals(put, app.open(tx.stored(), tx).get(SHOP));
    assertEquals(
        List.of(
            "v1 1 " + clock.millis(),
            "rule per-tenant 1 enforced 250 OPEN 7 PROPORTIONAL",
            "limit bucket 100 10000 1",
            "rate 100 1000000",
            "match tenant -",
            "match route %2Fpay* shared metrics",
            "match a+b %2D",
            "lease 100 500 8 -1",
            "replaces fixed day",
            "envoy quota a+limit %7B%22a%22%3A1%7D"),
        tx.row("limit/shop").lines().limit(10).toList());
  }

  @Test
  void rowOfAnotherFormat_isRefusedByItsKey() {
    Row later = new Row("limit/shop", "v2 1 5".getBytes());
    IllegalStateException refused =
        assertThrows(IllegalStateException.class, () -> app.open(List.of(later), tx));
    assertEquals("limit/shop has format v2 (expected: v1)", refused.getMessage());
  }
}
