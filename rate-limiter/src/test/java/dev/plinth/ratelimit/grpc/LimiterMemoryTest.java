package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.RateLimitSettings;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.ratelimit.store.embedded.EmbeddedBudgetStore;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.TestSettings;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** One setting bounds what the limiter keeps in memory; its parts are seen. */
class LimiterMemoryTest {
  private static final String SMALL = "--memory=4MiB";

  private static double gauge(LimitServer server, String name, String part) {
    return server.meters().get("plinth.ratelimit." + name).tag("part", part).gauge().value();
  }

  @Test
  void parts_addUpToTheSetting() {
    try (LimitServer server = small()) {
      double sum = 0;
      for (String part : List.of("cache", "policies", "rows", "local")) {
        sum += gauge(server, "memory.limit", part);
      }
      assertEquals(4 << 20, sum);
    }
  }

  @Test
  void policiesInUse_staySeen_andWithinTheirShare() {
    try (LimitServer server = small()) {
      for (int i = 0; i < 20; i++) {
        LimitCalls calls = new LimitCalls(server);
        Rule.Builder[] rules = new Rule.Builder[100];
        for (int j = 0; j < rules.length; j++) {
          rules[j] = LimitCalls.bucket("rule" + j, 10, "user");
        }
        calls.put(rules);
        assertEquals(Verdict.VERDICT_ALLOW, calls.check("user", "ann").getVerdict());
        double used = gauge(server, "memory", "policies");
        assertTrue(used > 100_000, used + " bytes");
        assertTrue(used <= gauge(server, "memory.limit", "policies"), used + " bytes");
      }
    }
  }

  private static LimitServer small() {
    RowMemory rows = TestSettings.read(RateLimitSettings.class, SMALL).rows();
    return new LimitServer(
        "small", () -> EmbeddedBudgetStore.open(rows), SMALL, LimitServer.PATIENT);
  }

  @Test
  void randomDescriptors_ofOneDomain_fillItsShare_andAreRefused_whileAnotherIsServed() {
    try (LimitServer server = small()) {
      LimitCalls greedy = new LimitCalls(server);
      greedy.put(LimitCalls.bucket("user", 10, "user"));
      int refused = 0;
      for (int i = 0; i < 4_000; i++) {
        var decision = greedy.check("user", UUID.randomUUID().toString());
        refused += decision.getVerdict() == Verdict.VERDICT_DENY ? 1 : 0;
      }
      assertTrue(refused > 100, refused + " refused");
      double limit = gauge(server, "memory.limit", "rows");
      assertTrue(gauge(server, "memory", "rows") <= limit / 2 + 1_000);
      assertTrue(gauge(server, "memory", "local") <= gauge(server, "memory.limit", "local"));
      assertTrue(gauge(server, "memory", "cache") <= gauge(server, "memory.limit", "cache"));
      assertTrue(server.meters().get("plinth.ratelimit.undecided").counter().count() > 100);
      LimitCalls other = new LimitCalls(server);
      other.put(LimitCalls.bucket("user", 10, "user"));
      assertEquals(DecidedBy.DECIDED_BY_STORE, other.check("user", "ann").getDecidedBy());
    }
  }
}
