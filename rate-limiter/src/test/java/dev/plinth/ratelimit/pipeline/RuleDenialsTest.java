package dev.plinth.ratelimit.pipeline;

import static dev.plinth.ratelimit.pipeline.TestRules.bucket;
import static dev.plinth.ratelimit.pipeline.TestRules.policy;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.ratelimit.policy.Rule.FailMode;
import org.junit.jupiter.api.Test;

/** Denials by rule, and those that a shadow would have made: what a rollout is judged by. */
class RuleDenialsTest {
  private final DecisionFixture node = DecisionFixture.prompt();
  private final CompiledPolicy policy =
      policy(bucket("tenant", 5, 1), bucket("next", 2, 1).shadow());

  private void check(int times) {
    for (int i = 0; i < times; i++) {
      node.check(policy, 1).join();
    }
  }

  @Test
  void shadow_countsWhatItWouldHaveDenied_andTheEnforcedWhatItDenied() {
    check(5);
    assertEquals(3, node.events.count("would deny next"));
    assertEquals(0, node.events.count("denied tenant"));
    check(4); // by the store, then from memory
    assertEquals(4, node.events.count("denied tenant"));
    assertEquals(0, node.events.count("denied next"));
    assertEquals(3, node.events.count("would deny next"), "of checks that pass otherwise");
  }

  @Test
  void failModes_countTheirDenialsToo() {
    CompiledPolicy closed = policy(bucket("shut", 5, 1).fail(FailMode.CLOSED));
    CompiledPolicy local = policy(bucket("local", 1, 1).fail(FailMode.LOCAL));
    node.store.setUnavailable(true);
    node.check(closed, 1).join();
    node.check(local, 1).join();
    node.check(local, 1).join();
    assertEquals(1, node.events.count("denied shut"));
    assertEquals(1, node.events.count("denied local"));
  }
}
