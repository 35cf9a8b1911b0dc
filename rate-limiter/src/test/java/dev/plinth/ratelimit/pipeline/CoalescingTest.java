package dev.plinth.ratelimit.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.engine.Budgets;
import dev.plinth.ratelimit.pipeline.Decision.LimitStatus;
import dev.plinth.ratelimit.policy.CalendarUnit;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome.Taken;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that share requests get what they would have got one after the other. */
class CoalescingTest {
  private static final String[] TENANTS = {"a", "b"};
  private static final String[] USERS = {"x", "y", "z"};

  private final DecisionFixture node =
      new DecisionFixture(withoutDenyCache(PipelineOptions.DEFAULTS));
  private final Budgets alone = new Budgets();

  private static PipelineOptions withoutDenyCache(PipelineOptions from) {
    return new PipelineOptions(
        from.storeBudget(),
        1,
        from.batch(),
        from.breakAfter(),
        from.backoff(),
        from.maxBackoff(),
        Duration.ZERO);
  }

  private static Limit limit(Random random) {
    long size = 1 + random.nextInt(40);
    long period = 1_000_000;
    return switch (random.nextInt(6)) {
      case 0 -> new Limit.Paced(1 + random.nextInt(100_000), 1 + random.nextInt(7));
      case 1 -> new Limit.FixedWindow(size, period);
      case 2 -> new Limit.SlidingCounter(size, period);
      case 3 -> new Limit.SlidingLog(size, period);
      case 4 -> new Limit.CalendarWindow(size, CalendarUnit.HOUR, ZoneOffset.UTC);
      default -> new Limit.Bucket(size, 99_991, 1 + random.nextInt(7));
    };
  }

  private record Asking(BudgetSet set, long cost, CompletableFuture<Decision> answer) {}

  /** Merged ones are together, at the place of the first; those with shadows are alone. */
  private record Place(BudgetSet set, long cost, int order) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void coalescedDecisions_areTheSequentialOnes(int seed) {
    Random random = new Random(seed);
    CompiledPolicy policy =
        TestRules.policy(
            TestRules.of("tenant", limit(random)).match("tenant"),
            TestRules.of("user", limit(random)).match("user"),
            TestRules.of("ann", limit(random)).match("user", "x").shadow());
    for (int round = 0; round < 60; round++) {
      node.check(policy, 0, "tenant", "a"); // keeps the lane busy and changes nothing
      Map<Place, List<Asking>> asked = new LinkedHashMap<>();
      for (int i = random.nextInt(30); i > 0; i--) {
        Asking one = ask(policy, random);
        boolean isAlone = one.set.enforced() < one.set.budgets().size();
        asked
            .computeIfAbsent(
                new Place(one.set, one.cost, isAlone ? i : 0), queueHash -> new ArrayList<>())
            .add(one);
      }
      node.store.answerAll();
      asked.values().forEach(same -> same.forEach(this::compare));
      node.clock.advance(Duration.of(random.nextInt(400_000), ChronoUnit.MICROS));
    }
    assertTrue(node.events.count("merged") > 0);
  }

  private Asking ask(CompiledPolicy policy, Random random) {
    String[] pairs =
        random.nextInt(3) == 0
            ? new String[] {"tenant", TENANTS[random.nextInt(TENANTS.length)]}
            : new String[] {
              "tenant", TENANTS[random.nextInt(TENANTS.length)],
              "user", USERS[random.nextInt(USERS.length)]
            };
    long cost = 1 + random.nextInt(3);
    BudgetSet set = policy.match(TestRules.descriptors(pairs));
    return new Asking(set, cost, node.check(policy, cost, pairs));
  }

  private void compare(Asking one) {
    long now = ChronoUnit.MICROS.between(Instant.EPOCH, node.clock.instant());
    BudgetRequest request = BudgetRequest.of(Take.of(one.set.charges(one.cost)));
    Taken taken = (Taken) alone.apply(List.of(request), now).get(0);
    Decision expected = Decisions.of(one.set, taken);
    Decision actual = one.answer.join();
    assertEquals(expected.verdict(), actual.verdict());
    assertEquals(expected.granted(), actual.granted());
    assertEquals(expected.retry(), actual.retry());
    assertEquals(expected.decidedBy(), actual.decidedBy());
    for (int i = 0; i < expected.limits().size(); i++) {
      compare(expected.limits().get(i), actual.limits().get(i));
    }
  }

  /** A bucket's reset is rounded up to microseconds by the store, and down by those before. */
  private static void compare(LimitStatus expected, LimitStatus actual) {
    assertEquals(expected.rule(), actual.rule());
    assertEquals(expected.remaining(), actual.remaining());
    assertEquals(expected.near(), actual.near());
    assertEquals(expected.over(), actual.over());
    assertEquals(expected.shadow(), actual.shadow());
    assertEquals(expected.reset(), actual.reset(), 1);
  }
}
