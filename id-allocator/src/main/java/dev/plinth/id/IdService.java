package dev.plinth.id;

import dev.plinth.id.core.IdApp;
import dev.plinth.id.grpc.IdBindings;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.ShardService;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;

/** Identifiers. */
public final class IdService {
  private IdService() {}

  /** What it keeps in the shards; they are opened with it. */
  public static IdApp app(InstantSource clock, MeterRegistry registry) {
    return new IdApp(clock, new IdMetrics(registry));
  }

  public static HostedService on(Shards shards, IdApp app, Engine engine) {
    return new ShardService(List.of(IdBindings.on(shards, app)), engine);
  }
}
