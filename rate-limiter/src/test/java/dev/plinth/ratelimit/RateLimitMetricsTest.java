package dev.plinth.ratelimit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.RowMemory;
import dev.plinth.ratelimit.store.embedded.EmbeddedBudgetStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateLimitMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void lossOfACrash_isExported_ofAStoreThatWritesCheckpoints(@TempDir Path folder) {
    try (BudgetStore store =
        EmbeddedBudgetStore.open(folder, Duration.ofHours(1), new RowMemory(1L << 30))) {
      RateLimitMetrics.watch(registry, store);
      double before = registry.get("plinth.ratelimit.checkpoint.loss").gauge().value();
      assertTrue(registry.get("plinth.ratelimit.checkpoint.loss").gauge().value() > before);
      assertEquals(
          "seconds",
          registry.get("plinth.ratelimit.checkpoint.loss.worst").gauge().getId().getBaseUnit());
    }
  }

  @Test
  void lossOfACrash_isNotExported_ofAStoreWithoutAFile() {
    try (BudgetStore store = EmbeddedBudgetStore.open(new RowMemory(1L << 30))) {
      RateLimitMetrics.watch(registry, store);
      assertNull(registry.find("plinth.ratelimit.checkpoint.loss").gauge());
    }
  }
}
