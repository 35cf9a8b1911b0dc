package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.descriptors;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.BudgetKey;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RuleMatcherTest {
  private static List<String> keys(BudgetSet set) {
    return set.budgets().stream().map(each -> each.budget().key()).toList();
  }

  @Test
  void match_takesRulesWhoseMatchesAreAllThere_inTheOrderOfThePolicy() {
    CompiledPolicy policy =
        policy(
            bucket("user", 1, 1).match("tenant").match("user"),
            bucket("all", 1, 1),
            bucket("tenant", 1, 1).match("tenant"),
            bucket("route", 1, 1).match("route", "/pay"));
    assertEquals(
        List.of("user|tenant=acme|user=ann", "all", "tenant|tenant=acme"),
        keys(policy.match(descriptors("user", "ann", "route", "/get", "tenant", "acme"))));
    assertEquals(List.of("all"), keys(policy.match(descriptors("user", "ann"))));
    assertEquals(List.of("all"), keys(policy.match(List.of())));
    assertEquals(
        List.of("all", "route|route=/pay"), keys(policy.match(descriptors("route", "/pay"))));
  }

  @Test
  void match_ofPrefix_givesEachValueItsOwnBudget() {
    CompiledPolicy policy = policy(bucket("api", 1, 1).match("route", "/api/*"));
    assertEquals(List.of("api|route=/api/a"), keys(policy.match(descriptors("route", "/api/a"))));
    assertEquals(List.of("api|route=/api/"), keys(policy.match(descriptors("route", "/api/"))));
    assertTrue(policy.match(descriptors("route", "/apx")).isEmpty());
  }

  @Test
  void match_ofReplacedRule_leavesItOut_andSaysSo() {
    CompiledPolicy policy =
        policy(
            bucket("any", 1, 1).match("tenant"),
            bucket("acme", 1, 1).match("tenant", "acme").replaces("any").replaces("nothing"));
    BudgetSet acme = policy.match(descriptors("tenant", "acme"));
    assertEquals(List.of("acme|tenant=acme"), keys(acme));
    assertEquals(List.of("any"), acme.replaced());
    BudgetSet other = policy.match(descriptors("tenant", "emca"));
    assertEquals(List.of("any|tenant=emca"), keys(other));
    assertEquals(List.of(), other.replaced());
  }

  @Test
  void match_ofRulesThatReplaceEachOther_leavesTheFirst() {
    CompiledPolicy policy =
        policy(
            bucket("a", 1, 1).replaces("b"),
            bucket("b", 1, 1).replaces("c"),
            bucket("c", 1, 1).replaces("a"));
    assertEquals(List.of("a"), keys(policy.match(List.of())));
  }

  @Test
  void match_ofAKeyTwice_isForEnvoyAlone() {
    CompiledPolicy policy = policy(bucket("twice", 1, 1).match("tenant").match("tenant", "a*"));
    assertTrue(policy.match(descriptors("tenant", "ab")).isEmpty());
  }

  @Test
  void match_ofAWildcard_fitsAnyCharactersAtItsPlaces() {
    CompiledPolicy policy = policy(bucket("api", 1, 1).match("path", "/api/*/v*"));
    assertEquals(
        List.of("api|path=/api/x/v1"), keys(policy.match(descriptors("path", "/api/x/v1"))));
    assertTrue(policy.match(descriptors("path", "/api/v1")).isEmpty());
  }

  @Test
  void match_ofUnlimited_takesAwayWhatItReplaces_andHasNoBudget() {
    CompiledPolicy policy =
        policy(
            bucket("all", 1, 1),
            TestRules.of("free", new Limit.Unlimited()).match("tenant", "acme").replaces("all"));
    assertTrue(policy.match(descriptors("tenant", "acme")).isEmpty());
    assertEquals(List.of("all"), keys(policy.match(descriptors("tenant", "other"))));
  }

  @Test
  void match_ofShadow_comesLast_withAKeyOfItsOwn_andLendsNothing() {
    CompiledPolicy policy =
        policy(
            bucket("dark", 100, 1).shadow().lease(500, Duration.ofSeconds(1), 2, 10),
            bucket("live", 100, 1).lease(500, Duration.ofSeconds(1), 2, 10));
    BudgetSet set = policy.match(List.of());
    assertEquals(List.of("live", "~dark"), keys(set));
    assertEquals(1, set.enforced());
    assertEquals(
        Optional.of(new Budget.Lending(50, 1_000_000)), set.budgets().get(0).budget().lending());
    assertEquals(Optional.empty(), set.budgets().get(1).budget().lending());
  }

  @Test
  void permille_enforcesThatShareOfTheKeys_andTheSameOnesWhileItGrows() {
    int few = 0;
    int more = 0;
    for (int i = 0; i < 20_000; i++) {
      String key = "rule|tenant=t" + i;
      boolean isAmongFew = BudgetKey.isEnforced(key, 100);
      boolean isAmongMore = BudgetKey.isEnforced(key, 500);
      few += isAmongFew ? 1 : 0;
      more += isAmongMore ? 1 : 0;
      assertTrue(isAmongMore || !isAmongFew, key);
      assertFalse(BudgetKey.isEnforced(key, 0));
      assertTrue(BudgetKey.isEnforced(key, 1000));
    }
    assertEquals(2_000, few, 150); // four standard deviations are 170
    assertEquals(10_000, more, 300);
    assertTrue(BudgetKey.isEnforced("rule|tenant=t0", 1000));
  }

  @Test
  void permille_makesShadowsOfTheOthers() {
    CompiledPolicy policy = policy(bucket("half", 10, 1).match("tenant").permille(500));
    int enforced = 0;
    for (int i = 0; i < 1000; i++) {
      BudgetSet set = policy.match(descriptors("tenant", "t" + i));
      enforced += set.enforced();
      assertEquals(set.enforced() == 0, keys(set).get(0).startsWith("~"));
    }
    assertEquals(500, enforced, 80);
  }

  @Test
  void keys_ofDifferentValues_differ() {
    CompiledPolicy policy = policy(bucket("r", 1, 1).match("a").match("b"));
    BudgetSet one = policy.match(descriptors("a", "x|b=y", "b", "z"));
    BudgetSet other = policy.match(descriptors("a", "x", "b", "y|b=z"));
    assertNotEquals(keys(one), keys(other));
    assertEquals(List.of("r|a=x%7Cb%3Dy|b=z"), keys(one));
    assertEquals(
        List.of("r|a=%7E%25%C3%A9%20|b={}".replace("{}", "%7B%7D")),
        keys(policy.match(descriptors("a", "~%é ", "b", "{}"))));
  }

  @Test
  void slots_areOfConcurrencyRules_checksOfTheOthers() {
    CompiledPolicy policy =
        policy(
            bucket("rate", 1, 1),
            TestRules.of("running", new Limit.Concurrency(3)).match("tenant"));
    assertEquals(List.of("rate"), keys(policy.match(descriptors("tenant", "a"))));
    assertEquals(List.of("running|tenant=a"), keys(policy.slots(descriptors("tenant", "a"))));
    assertEquals(
        List.of("rate", "running|tenant=a"), keys(policy.everything(descriptors("tenant", "a"))));
  }

  @Test
  void match_ofTheSameBudgets_isTheSameSet_whateverElseIsSaid() {
    CompiledPolicy policy = policy(bucket("tenant", 1, 1).match("tenant"));
    BudgetSet first = policy.match(descriptors("tenant", "a", "user", "x"));
    assertSame(first, policy.match(descriptors("tenant", "a", "user", "x")));
    assertSame(first, policy.match(descriptors("user", "y", "tenant", "a")));
    assertNotSame(first, policy.match(descriptors("tenant", "b")));
  }
}
