package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.CheckItem;
import dev.plinth.ratelimit.v1.CheckManyRequest;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.LimitStatus;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Check and CheckMany. */
@OnEachBudgets
class ChecksTest {
  @Parameter LimitServer server;
  private LimitCalls calls;

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
  }

  @Test
  void check_isAllowedWhileThereIsBudget_thenDenied_andBothSayWhy() {
    calls.put(LimitCalls.bucket("per-user", 5, "user"));
    Decision first = calls.check("user", "ann");
    assertEquals(Verdict.VERDICT_ALLOW, first.getVerdict());
    assertEquals(1, first.getGranted());
    assertEquals(1, first.getPolicyVersion());
    assertEquals(DecidedBy.DECIDED_BY_STORE, first.getDecidedBy());
    assertFalse(first.hasRetryAfter());
    LimitStatus status = first.getLimits(0);
    assertEquals("per-user", status.getRule());
    assertEquals(5, status.getLimit());
    assertEquals(4, status.getRemaining());
    assertTrue(Durations.compare(status.getResetAfter(), Durations.fromHours(1)) <= 0);
    assertFalse(status.getNear());
    for (int i = 0; i < 4; i++) {
      calls.check("user", "ann");
    }
    Decision denied = calls.check("user", "ann");
    assertEquals(Verdict.VERDICT_DENY, denied.getVerdict());
    assertEquals(0, denied.getGranted());
    assertTrue(Durations.compare(denied.getRetryAfter(), Durations.fromMinutes(59)) > 0);
    assertTrue(denied.getLimits(0).getOver());
    assertTrue(denied.getLimits(0).getNear());
    assertEquals(0, denied.getLimits(0).getRemaining());
    assertEquals(Verdict.VERDICT_ALLOW, calls.check("user", "bob").getVerdict(), "has his own");
  }

  @Test
  void denial_holdsInMemory_andSaysSo() {
    calls.put(LimitCalls.bucket("all", 1));
    calls.check();
    assertEquals(DecidedBy.DECIDED_BY_STORE, calls.check().getDecidedBy());
    assertEquals(DecidedBy.DECIDED_BY_DENY_CACHE, calls.check().getDecidedBy());
    assertEquals(Verdict.VERDICT_DENY, calls.check().getVerdict());
    Await.until("both are counted", () -> server.counted("DENY", "DENY_CACHE") >= 2);
  }

  @Test
  void costOverTheWholeLimit_isDenied_withoutARetry() {
    calls.put(LimitCalls.bucket("all", 5));
    Decision never = calls.check(calls.wish().setCost(6));
    assertEquals(Verdict.VERDICT_DENY, never.getVerdict());
    assertFalse(never.hasRetryAfter());
    assertEquals(5, calls.left("all"));
  }

  @Test
  void everyRuleThatMatches_isCharged_orNone() {
    calls.put(
        LimitCalls.bucket("per-tenant", 3, "tenant"), LimitCalls.bucket("per-user", 2, "user"));
    Decision both = calls.check("tenant", "acme", "user", "ann");
    assertEquals(List.of("per-tenant", "per-user"), rules(both));
    calls.check("tenant", "acme", "user", "ann");
    Decision denied = calls.check("tenant", "acme", "user", "ann");
    assertEquals(Verdict.VERDICT_DENY, denied.getVerdict());
    assertEquals(
        List.of(false, true), denied.getLimitsList().stream().map(LimitStatus::getOver).toList());
    assertEquals(1, calls.left("per-tenant", "tenant", "acme"), "a denied check costs nobody");
    assertEquals(Verdict.VERDICT_ALLOW, calls.check("tenant", "acme", "user", "bob").getVerdict());
  }

  private static List<String> rules(Decision decision) {
    return decision.getLimitsList().stream().map(LimitStatus::getRule).toList();
  }

  @Test
  void partial_grantsWhatIsThere() {
    calls.put(LimitCalls.bucket("all", 5));
    Decision part = calls.check(calls.wish().setCost(8).setPartial(true));
    assertEquals(Verdict.VERDICT_ALLOW, part.getVerdict());
    assertEquals(5, part.getGranted());
    assertEquals(
        Verdict.VERDICT_DENY, calls.check(calls.wish().setCost(8).setPartial(true)).getVerdict());
  }

  @Test
  void shadow_neverDenies_andSaysThatItWouldHave() {
    calls.put(LimitCalls.bucket("trial", 1).setShadow(true));
    assertEquals(Verdict.VERDICT_ALLOW, calls.check().getVerdict());
    Decision over = calls.check();
    assertEquals(Verdict.VERDICT_ALLOW_SHADOW, over.getVerdict());
    assertTrue(over.getLimits(0).getShadow());
    assertTrue(over.getLimits(0).getOver());
  }

  @Test
  void enforcePermille0_isAShadowForAllKeys() {
    calls.put(LimitCalls.bucket("some", 1, "user").setEnforcePermille(0));
    calls.check("user", "ann");
    assertEquals(Verdict.VERDICT_ALLOW_SHADOW, calls.check("user", "ann").getVerdict());
  }

  @Test
  void noRule_isAllowed_andSaysSo() {
    calls.put(LimitCalls.bucket("per-user", 1, "user"), LimitCalls.slots("places", 1));
    Decision free = calls.check(calls.wish("route", "/").setCost(7));
    assertEquals(Verdict.VERDICT_ALLOW, free.getVerdict());
    assertEquals(DecidedBy.DECIDED_BY_NO_RULE, free.getDecidedBy());
    assertEquals(7, free.getGranted());
    assertEquals(0, free.getLimitsCount());
  }

  @Test
  void replacedRule_doesNotApply() {
    Rule.Builder vip = LimitCalls.bucket("vip", 9).addReplaces("per-user");
    vip.addMatchBuilder().setKey("user").setValue("ann");
    calls.put(LimitCalls.bucket("per-user", 1, "user"), vip);
    assertEquals(List.of("vip"), rules(calls.check("user", "ann")));
    assertEquals(List.of("per-user"), rules(calls.check("user", "bob")));
    assertEquals(List.of("per-user"), calls.inspect("user", "ann").getReplacedList());
  }

  @Test
  void everyAlgorithm_admitsItsLimit_andNoMore() {
    calls.put(
        timed("fixed", Algorithm.ALGORITHM_FIXED_WINDOW),
        timed("counter", Algorithm.ALGORITHM_SLIDING_COUNTER),
        timed("log", Algorithm.ALGORITHM_SLIDING_LOG),
        calendar(),
        timed("bucket", Algorithm.ALGORITHM_TOKEN_BUCKET));
    for (String kind : List.of("fixed", "counter", "log", "calendar", "bucket")) {
      assertEquals(Verdict.VERDICT_ALLOW, calls.check(kind, "x").getVerdict(), kind);
      assertEquals(Verdict.VERDICT_ALLOW, calls.check(kind, "x").getVerdict(), kind);
      Decision denied = calls.check(kind, "x");
      assertEquals(Verdict.VERDICT_DENY, denied.getVerdict(), kind);
      assertTrue(denied.hasRetryAfter(), kind);
    }
  }

  private static Rule.Builder timed(String name, Algorithm algorithm) {
    Rule.Builder rule =
        Rule.newBuilder()
            .setName(name)
            .setAlgorithm(algorithm)
            .setLimit(2)
            .setPeriod(Durations.fromDays(300));
    rule.addMatchBuilder().setKey(name);
    return rule;
  }

  private static Rule.Builder calendar() {
    return timed("calendar", Algorithm.ALGORITHM_CALENDAR_WINDOW)
        .clearPeriod()
        .setCalendar(dev.plinth.ratelimit.v1.Calendar.CALENDAR_YEAR)
        .setZone("Asia/Kathmandu");
  }

  @Test
  void paced_admitsOne_whateverItsCost() {
    calls.put(timed("paced", Algorithm.ALGORITHM_PACED));
    assertEquals(5, calls.check(calls.wish("paced", "x").setCost(5)).getGranted());
    assertEquals(Verdict.VERDICT_DENY, calls.check("paced", "x").getVerdict());
  }

  @Test
  void headers_areMade_ifAskedFor() {
    calls.put(
        LimitCalls.bucket("per-user", 2, "user").setLimit(60).setPeriod(Durations.fromHours(1)),
        LimitCalls.bucket("trial", 5).setShadow(true));
    assertEquals(Map.of(), calls.check("user", "ann").getHeadersMap());
    Map<String, String> headers =
        calls.check(calls.wish("user", "ann").setHeaders(true)).getHeadersMap();
    assertEquals("\"per-user\";q=2;w=120", headers.get("RateLimit-Policy"));
    assertEquals("\"per-user\";r=0;t=120", headers.get("RateLimit"));
    assertFalse(headers.containsKey("Retry-After"));
    Map<String, String> denied =
        calls.check(calls.wish("user", "ann").setHeaders(true)).getHeadersMap();
    assertEquals("60", denied.get("Retry-After"));
  }

  @Test
  void unknownDomain_isNotFound_untilItHasAPolicy() {
    Refusal.of(() -> calls.check())
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_POLICY_UNKNOWN);
    calls.put(LimitCalls.bucket("all", 1));
    Await.until("the policy is seen", () -> calls.check().getVerdict() != null);
  }

  @Test
  void minPolicyVersion_isWaitedFor_andOneThatNobodyMadeIsNot() {
    Refusal.of(() -> calls.check()); // so that its absence is known
    long version = calls.put(LimitCalls.bucket("all", 5)).getVersion();
    assertEquals(
        version, calls.check(calls.wish().setMinPolicyVersion(version)).getPolicyVersion());
    for (int i = 0; i < 20; i++) {
      version = calls.put(LimitCalls.bucket("all", 5 + i)).getVersion();
      assertEquals(
          version, calls.check(calls.wish().setMinPolicyVersion(version)).getPolicyVersion());
    }
    CheckRequest.Builder future = calls.wish().setMinPolicyVersion(version + 1);
    Refusal behind = Refusal.of(() -> calls.check(future));
    behind.is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_POLICY_BEHIND);
    assertEquals("" + version, behind.metadata().get("known"));
  }

  @Test
  void requestSentAgain_isChargedOnce_andHasTheFirstVerdict() {
    calls.put(LimitCalls.bucket("all", 2));
    CheckRequest.Builder once = calls.wish().setCost(2).setRequestId("r1");
    Decision first = calls.check(once);
    assertEquals(Verdict.VERDICT_ALLOW, first.getVerdict());
    assertEquals(Verdict.VERDICT_ALLOW, calls.check(once).getVerdict());
    assertEquals(0, calls.left("all"));
    CheckRequest.Builder denied = calls.wish().setRequestId("r2");
    assertEquals(Verdict.VERDICT_DENY, calls.check(denied).getVerdict());
    assertEquals(Verdict.VERDICT_DENY, calls.check(denied).getVerdict());
    Refusal.of(() -> calls.check(once.setCost(1)))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
  }

  @Test
  void checkMany_decidesEachForItself_inTheirOrder() {
    calls.put(LimitCalls.bucket("per-user", 2, "user"));
    CheckManyRequest.Builder many = many("ann", "bob", "ann", "ann", "bob");
    List<Decision> decisions = calls.limits().checkMany(many.build()).getDecisionsList();
    assertEquals(5, decisions.size());
    assertEquals(
        2, List.of(0, 2, 3).stream().filter(i -> allowed(decisions.get(i))).count(), "of ann's");
    assertTrue(allowed(decisions.get(1)) && allowed(decisions.get(4)));
    assertEquals(0, calls.left("per-user", "user", "ann"));
  }

  @Test
  void checkMany_allOrNothing_isAllOrNothing() {
    calls.put(LimitCalls.bucket("per-user", 2, "user"));
    List<Decision> none =
        calls
            .limits()
            .checkMany(many("ann", "bob", "ann", "ann").setAllOrNothing(true).build())
            .getDecisionsList();
    assertTrue(none.stream().noneMatch(ChecksTest::allowed), none.toString());
    assertEquals(2, calls.left("per-user", "user", "ann"));
    assertEquals(2, calls.left("per-user", "user", "bob"));
    List<Decision> all =
        calls
            .limits()
            .checkMany(many("ann", "bob", "ann").setAllOrNothing(true).build())
            .getDecisionsList();
    assertTrue(all.stream().allMatch(ChecksTest::allowed), all.toString());
    assertEquals(0, calls.left("per-user", "user", "ann"));
    assertEquals(1, calls.left("per-user", "user", "bob"));
  }

  @Test
  void checkMany_allOrNothing_ofTwoThousandBudgets_isDecidedByTheStore_once() {
    Rule.Builder[] rules = new Rule.Builder[20];
    for (int i = 0; i < rules.length; i++) {
      rules[i] = LimitCalls.bucket("rule-" + i, 3, "user");
    }
    calls.put(rules);
    CheckManyRequest.Builder many =
        CheckManyRequest.newBuilder().setDomain(calls.domain).setAllOrNothing(true);
    for (int i = 0; i < 100; i++) {
      many.addItems(item("user-" + i));
    }
    CheckManyRequest once = many.setRequestId("two-thousand").build();
    for (int i = 0; i < 2; i++) {
      List<Decision> decisions = calls.limits().checkMany(once).getDecisionsList();
      for (Decision decision : decisions) {
        assertEquals(DecidedBy.DECIDED_BY_STORE, decision.getDecidedBy());
        assertTrue(allowed(decision));
      }
    }
    assertEquals(2, calls.left("rule-19", "user", "user-99"), "charged once");
  }

  @Test
  void checkMany_ofMoreThanTwoThousandBudgets_isRefused() {
    Rule.Builder[] rules = new Rule.Builder[1000];
    for (int i = 0; i < rules.length; i++) {
      rules[i] = LimitCalls.bucket("rule-" + i, 3, "user");
    }
    calls.put(rules);
    for (boolean all : new boolean[] {true, false}) {
      CheckManyRequest many = many("ann", "bob", "cat").setAllOrNothing(all).build();
      Refusal.of(() -> calls.limits().checkMany(many))
          .isOfField("items", ErrorReason.ERROR_REASON_FIELD_INVALID);
    }
    assertEquals(3, calls.left("rule-0", "user", "ann"), "nothing is charged");
  }

  @Test
  void checkMany_sentAgain_isChargedOnce() {
    calls.put(LimitCalls.bucket("per-user", 3, "user"));
    for (boolean all : new boolean[] {false, true}) {
      CheckManyRequest once =
          many("cat" + all, "dan" + all).setAllOrNothing(all).setRequestId("m" + all).build();
      calls.limits().checkMany(once);
      assertTrue(
          calls.limits().checkMany(once).getDecisionsList().stream().allMatch(ChecksTest::allowed));
      assertEquals(2, calls.left("per-user", "user", "cat" + all));
      Refusal.of(() -> calls.limits().checkMany(once.toBuilder().addItems(item("eve")).build()))
          .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
      assertEquals(3, calls.left("per-user", "user", "eve"));
    }
  }

  private static boolean allowed(Decision decision) {
    return decision.getVerdict() == Verdict.VERDICT_ALLOW;
  }

  private CheckManyRequest.Builder many(String... users) {
    CheckManyRequest.Builder many = CheckManyRequest.newBuilder().setDomain(calls.domain);
    for (String user : users) {
      many.addItems(item(user));
    }
    return many;
  }

  private static CheckItem item(String user) {
    return CheckItem.newBuilder().addAllDescriptors(LimitCalls.descriptors("user", user)).build();
  }

  @Test
  void decisions_areCounted() {
    calls.put(LimitCalls.bucket("all", 1));
    double before = server.counted("ALLOW", "STORE");
    calls.check();
    Await.until("it is counted", () -> server.counted("ALLOW", "STORE") == before + 1);
  }
}
