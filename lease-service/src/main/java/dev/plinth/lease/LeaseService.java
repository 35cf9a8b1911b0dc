package dev.plinth.lease;

import dev.plinth.lease.core.LeaseApp;
import dev.plinth.lease.grpc.ElectionBindings;
import dev.plinth.lease.grpc.LeaseBindings;
import dev.plinth.machine.Machine;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardService;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;

/** Leases and elections. */
public final class LeaseService {
  private LeaseService() {}

  /** What it keeps in the shards; they are opened with it. */
  public static LeaseApp app(Machine machine, MeterRegistry registry) {
    return new LeaseApp(
        machine.time(), new LeaseMetrics(registry), machine.memoryShare(LeaseApp.HISTORY_BYTES));
  }

  public static HostedService on(Shards shards, LeaseApp app, Engine engine) {
    return new ShardService(
        List.of(LeaseBindings.on(shards, app), ElectionBindings.on(shards, app)), engine);
  }
}
