package dev.plinth.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Two classes at the same time, each with its own server, data and time. */
class ParallelClassesTest {
  private static final CyclicBarrier BOTH = new CyclicBarrier(2);
  private static final Set<String> ADDRESSES = ConcurrentHashMap.newKeySet();

  @Test
  void classes_shareNothing() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(First.class), selectClass(Second.class))
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
            .configurationParameter(
                "junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
            .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
            .configurationParameter(
                "junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.getFailures().stream()
        .findFirst()
        .ifPresent(
            failure -> {
              throw new AssertionError(
                  failure.getTestIdentifier().getDisplayName(), failure.getException());
            });
    assertEquals(2, summary.getTestsSucceededCount());
    assertEquals(2, ADDRESSES.size());
  }

  private static void takeTheSameKey(PlinthExtension plinth) throws Exception {
    ADDRESSES.add(plinth.address());
    Instant before = plinth.clock().instant();
    BOTH.await(30, TimeUnit.SECONDS);
    assertTrue(plinth.client().leases().tryAcquire("one").isPresent());
    plinth.clock().advance(Duration.ofSeconds(1));
    BOTH.await(30, TimeUnit.SECONDS);
    assertEquals(before.plusSeconds(1), plinth.clock().instant());
  }

  static class First {
    @RegisterExtension static final PlinthExtension plinth = PlinthExtension.create();

    @Test
    void takes() throws Exception {
      takeTheSameKey(plinth);
    }
  }

  static class Second {
    @RegisterExtension static final PlinthExtension plinth = PlinthExtension.create();

    @Test
    void takes() throws Exception {
      takeTheSameKey(plinth);
    }
  }
}
