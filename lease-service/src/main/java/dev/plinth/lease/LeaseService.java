package dev.plinth.lease;

import dev.plinth.lease.core.LeaseApp;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.grpc.ElectionEndpoint;
import dev.plinth.lease.grpc.LeaseEndpoint;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardCalls;
import io.grpc.BindableService;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;

/** Leases and elections, on shards that it shares with others. */
public final class LeaseService implements HostedService {
  private final ShardCalls<Leases> calls;
  private final Engine engine;

  private LeaseService(ShardCalls<Leases> calls, Engine engine) {
    this.calls = calls;
    this.engine = engine;
  }

  /** What it keeps in the shards; they are opened with it. */
  public static LeaseApp app(InstantSource clock, MeterRegistry registry) {
    return new LeaseApp(clock, new LeaseMetrics(registry));
  }

  public static LeaseService on(Shards shards, LeaseApp app, Engine engine) {
    return new LeaseService(new ShardCalls<>(shards, app), engine);
  }

  @Override
  public List<BindableService> endpoints() {
    return List.of(new LeaseEndpoint(calls), new ElectionEndpoint(calls));
  }

  @Override
  public List<Engine> engines() {
    return List.of(engine);
  }

  /** The shards and their store belong to the process. */
  @Override
  public void close() {}
}
