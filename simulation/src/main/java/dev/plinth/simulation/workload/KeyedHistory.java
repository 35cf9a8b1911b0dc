package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseCall;
import java.time.Duration;

/**
 * Calls on single keys, on the world's clock. Servers whose clocks are fast end holds early by it,
 * so times count a little shorter here than they were asked for.
 */
final class KeyedHistory {
  private final History<LeaseCall, LeaseAnswer> history;
  private final long driftPpm;

  KeyedHistory(Simulation simulation, long driftPpm) {
    this.history = new History<>(simulation::now);
    this.driftPpm = driftPpm;
  }

  History<LeaseCall, LeaseAnswer>.Call invoke(int client, LeaseCall call) {
    Duration ttl = atLeast(call.ttl(), driftPpm);
    return history.invoke(
        client,
        new LeaseCall(call.kind(), call.key(), call.owner(), call.token(), call.shared(), ttl));
  }

  /** What a time is at least on a clock that may be so much too fast. */
  static Duration atLeast(Duration time, long driftPpm) {
    return driftPpm == 0 ? time : time.minusNanos(time.toNanos() / 500_000 * driftPpm);
  }

  History<LeaseCall, LeaseAnswer> history() {
    return history;
  }
}
