package dev.plinth.simulation.workload.client;

import dev.plinth.client.guard.InMemoryGuard;
import dev.plinth.client.guard.StaleTokenException;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.workload.SimulatedPlatform;
import java.util.Map;
import java.util.TreeMap;

/**
 * A resource behind a guard, somewhere in the network. Writes arrive late, but never one with an
 * older token after one with a newer.
 */
final class GuardedRegister {
  private static final String COMPUTER = "register";

  private final SimulatedPlatform platform;
  private final Map<String, InMemoryGuard> guards = new TreeMap<>();
  private final Map<String, Long> written = new TreeMap<>();

  GuardedRegister(SimulatedPlatform platform) {
    this.platform = platform;
  }

  void write(String key, long token, SimulatedProcess by) {
    platform
        .network()
        .message(by, by.name(), COMPUTER, platform.simulation().world(), () -> arrived(key, token));
  }

  private void arrived(String key, long token) {
    try {
      guards.computeIfAbsent(key, InMemoryGuard::new).write(token, () -> admitted(key, token));
    } catch (StaleTokenException e) {
      platform.log().count("stale writes");
    }
  }

  private void admitted(String key, long token) {
    platform.log().count("writes");
    Long before = written.put(key, token);
    if (before != null && before > token) {
      platform
          .log()
          .violation("%s was written with token %d after %d".formatted(key, token, before));
    }
  }
}
