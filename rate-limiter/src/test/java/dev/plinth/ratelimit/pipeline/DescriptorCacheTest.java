package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.descriptors;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Decision.DecidedBy;
import dev.plinth.ratelimit.pipeline.Decision.Verdict;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** One bound in bytes for what a process remembers, whoever sends which descriptors. */
class DescriptorCacheTest {
  private static final long MAX = 16 << 20;

  private final DescriptorCache cache = new DescriptorCache(MAX);

  private CompiledPolicy policy(String domain) {
    List<Rule> rules =
        List.of(
            bucket("user", 1, 1).match("user").rule(), bucket("path", 5, 1).match("path").rule());
    return CompiledPolicy.of(new Policy(domain, 1, rules, Instant.EPOCH), cache);
  }

  @Test
  void randomDescriptors_ofManyPolicies_stayWithinOneBound() {
    List<CompiledPolicy> policies = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      policies.add(policy("d" + i));
    }
    long before = usedHeap();
    for (int i = 0; i < 200_000; i++) {
      policies
          .get(i % policies.size())
          .match(descriptors("user", UUID.randomUUID().toString(), "path", "p" + i));
      assertTrue(cache.bytes() <= MAX, () -> cache.bytes() + " bytes");
    }
    assertTrue(cache.evictions() > 100_000, () -> cache.evictions() + " evicted");
    assertTrue(cache.bytes() > MAX / 2, () -> cache.bytes() + " bytes");
    long grown = usedHeap() - before;
    assertTrue(grown <= MAX, grown + " bytes of heap (expected: the estimate is not below)");
    assertEquals(100, policies.size(), "which are there all the time");
  }

  private static long usedHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least =
          Math.min(least, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    return least;
  }

  @Test
  void setsOfManyBudgets_stayWithinTheBound_whateverIsEvictedFirst() {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      rules.add(bucket("rule" + i, 1, 1).match("user").rule());
    }
    DescriptorCache small = new DescriptorCache(MAX / 8);
    CompiledPolicy policy = CompiledPolicy.of(new Policy("d", 1, rules, Instant.EPOCH), small);
    long before = usedHeap();
    for (int i = 0; i < 400; i++) { // each lookup is in use, its budgets are not looked up again
      for (int used = 0; used <= i; used++) {
        policy.match(descriptors("user", "a user with a long name " + used));
      }
    }
    long grown = usedHeap() - before;
    assertTrue(grown <= MAX / 8, grown + " bytes of heap (expected: the estimate is not below)");
    assertEquals(1, policy.version(), "which is there all the time");
  }

  /** As a caller can make them: {@code "Aa".hashCode() == "BB".hashCode()}. */
  private record Colliding(int number, AtomicLong compared) {
    static final Comparator<Colliding> ORDER =
        (one, other) -> {
          one.compared.incrementAndGet();
          return Integer.compare(one.number, other.number);
        };

    @Override
    public int hashCode() {
      return 7;
    }

    @Override
    public boolean equals(Object other) {
      compared.incrementAndGet();
      return other instanceof Colliding that && number == that.number;
    }
  }

  @Test
  void keysOfOneHash_areFoundByAFewComparisons() {
    AtomicLong compared = new AtomicLong();
    DescriptorCache.View<Colliding, String> view = cache.view(Colliding.ORDER, (key, value) -> 100);
    int many = 4_000;
    for (int i = 0; i < many; i++) {
      view.put(new Colliding(i, compared), "value " + i);
    }
    for (int i = 0; i < many; i++) {
      assertEquals("value " + i, view.get(new Colliding(i, compared)));
    }
    assertTrue(compared.get() < 200L * many, compared + " comparisons of " + many + " keys");
  }

  @Test
  void descriptorsOfOneHash_areToldApart() {
    CompiledPolicy policy = policy("d");
    for (String value : List.of("AaAa", "AaBB", "BBAa", "BBBB")) {
      BudgetSet set = policy.match(descriptors("user", value));
      assertTrue(set.budgets().get(0).budget().key().endsWith(value));
      assertSame(set, policy.match(descriptors("user", value)));
    }
  }

  @Test
  void descriptorsInUse_areKept_whileRandomOnesComeAndGo() {
    CompiledPolicy policy = policy("d");
    BudgetSet used = policy.match(descriptors("user", "used"));
    BudgetSet once = policy.match(descriptors("user", "once"));
    for (int i = 0; i < 100_000; i++) {
      policy.match(descriptors("user", "u" + i));
      assertSame(used, policy.match(descriptors("user", "used")));
    }
    assertNotSame(once, policy.match(descriptors("user", "once")));
  }

  @Test
  void policies_shareTheBound_butNoEntries() {
    assertNotSame(
        policy("d").match(descriptors("user", "a")), policy("d").match(descriptors("user", "a")));
  }

  @Test
  void eviction_forgetsADenial_andTheStoreDeniesAgain() {
    DecisionFixture node = DecisionFixture.prompt();
    CompiledPolicy policy = policy("d");
    assertEquals(Verdict.ALLOW, node.check(policy, 1, "user", "a").join().verdict());
    assertEquals(DecidedBy.STORE, node.check(policy, 1, "user", "a").join().decidedBy());
    assertEquals(DecidedBy.DENY_CACHE, node.check(policy, 1, "user", "a").join().decidedBy());
    for (int i = 0; i < 100_000; i++) {
      policy.match(descriptors("user", "u" + i));
    }
    Decision denied = node.check(policy, 1, "user", "a").join();
    assertEquals(DecidedBy.STORE, denied.decidedBy());
    assertEquals(Verdict.DENY, denied.verdict());
  }
}
