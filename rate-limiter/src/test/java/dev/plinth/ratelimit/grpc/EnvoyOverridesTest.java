package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.DescriptorCache;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.Policy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EnvoyOverridesTest {
  private static final long MAX = 1 << 20;

  private final DescriptorCache cache = new DescriptorCache(1 << 20);
  private final CompiledPolicy policy =
      CompiledPolicy.of(new Policy("api", 1, List.of(), Instant.EPOCH), cache);
  private final EnvoyOverrides overrides = new EnvoyOverrides(cache, MAX);

  private CompiledPolicy override(int size) {
    List<Descriptor> entries =
        IntStream.range(0, 64).mapToObj(i -> new Descriptor("k".repeat(250) + i, "v")).toList();
    Limit limit = new Limit.FixedWindow(size, 1_000_000);
    Check check = new Check(entries, 1, false, Optional.empty());
    return overrides.policy(policy, new EnvoyWire.EnvoyCheck(check, Optional.of(limit)), limit);
  }

  @Test
  void manyOverrides_areWithinTheirBytes() {
    for (int i = 1; i <= 1000; i++) {
      override(i);
      assertTrue(overrides.bytes() <= MAX, overrides.bytes() + " bytes");
    }
    assertTrue(overrides.bytes() > MAX / 2, "what there is room for is remembered");
  }

  @Test
  void sameOverride_isMadeOnce() {
    assertSame(override(1), override(1));
  }
}
