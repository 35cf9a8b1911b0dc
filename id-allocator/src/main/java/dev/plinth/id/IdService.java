package dev.plinth.id;

import dev.plinth.id.core.IdApp;
import dev.plinth.id.grpc.IdBindings;
import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import dev.plinth.shards.Shards;
import io.grpc.BindableService;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;

/** Identifiers, on shards that it shares with others. */
public final class IdService implements HostedService {
  private final Shards shards;
  private final IdApp app;
  private final Engine engine;

  private IdService(Shards shards, IdApp app, Engine engine) {
    this.shards = shards;
    this.app = app;
    this.engine = engine;
  }

  /** What it keeps in the shards; they are opened with it. */
  public static IdApp app(InstantSource clock, MeterRegistry registry) {
    return new IdApp(clock, new IdMetrics(registry));
  }

  public static IdService on(Shards shards, IdApp app, Engine engine) {
    return new IdService(shards, app, engine);
  }

  @Override
  public List<BindableService> endpoints() {
    return List.of(IdBindings.on(shards, app));
  }

  @Override
  public List<Engine> engines() {
    return List.of(engine);
  }

  /** The shards and their store belong to the process. */
  @Override
  public void close() {}
}
