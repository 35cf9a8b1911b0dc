package dev.plinth.ratelimit.core;

import static dev.plinth.ratelimit.core.RuleOf.bucket;
import static dev.plinth.ratelimit.core.RuleOf.descriptors;
import static dev.plinth.ratelimit.core.RuleOf.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.ratelimit.core.Operation.Reset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BoundCheckTest {
  private final Deciding node = Deciding.prompt();
  private final CompiledPolicy policy = policy(bucket("tenant", 100, 1).match("tenant"));

  private void spend() {
    for (int i = 0; i < 110; i++) {
      node.check(policy, 1, "tenant", "a");
    }
  }

  private void giveAgainUnseen() {
    Budget budget = policy.match(descriptors("tenant", "a")).budgets().get(0).budget();
    node.store.apply(RuleOf.DOMAIN, List.of(Request.of(new Reset(List.of(budget)))));
    node.advance(1000); // what this node remembers of denials is over
  }

  @Test
  void look_findsABudgetThatWasGivenTwice() {
    spend();
    node.advance(900);
    giveAgainUnseen();
    spend();
    assertEquals(0, node.events.count("violations"));
    node.advance(1000);
    assertEquals(1, node.events.count("violations"));
    node.advance(10_000);
    assertEquals(1, node.events.count("violations"));
  }

  @Test
  void look_countsAnewAfterAReset() {
    spend();
    node.limits.reset(policy, descriptors("tenant", "a"), Optional.empty(), Optional.empty());
    spend();
    node.advance(3000);
    assertEquals(0, node.events.count("violations"));
  }

  @Test
  void look_allowsWhatIsRefilled() {
    for (int second = 0; second < 300; second++) {
      spend();
      node.advance(1000);
    }
    assertEquals(0, node.events.count("violations"));
  }
}
