package dev.plinth.ratelimit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class RuleCountersTest {
  @Test
  void labels_areBounded_andTheRestIsCountedTogether() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RuleCounters counters =
        new RuleCounters(registry, "rule.denials", "denials", "mode", "enforced");
    for (int i = 0; i < RuleCounters.MAX + 500; i++) {
      counters.increment("domain", "rule-" + i);
    }
    assertEquals(RuleCounters.MAX + 1, registry.getMeters().size());
    assertEquals(
        500, registry.get("plinth.ratelimit.rule.denials").tag("rule", "others").counter().count());
    assertEquals(
        1, registry.get("plinth.ratelimit.rule.denials").tag("rule", "rule-7").counter().count());
  }
}
