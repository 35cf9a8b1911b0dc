package dev.plinth.shards.grpc;

import dev.plinth.server.Engine;
import dev.plinth.server.HostedService;
import io.grpc.BindableService;
import java.util.List;

/** A service that keeps all it has in shards, which it shares with others. */
public record ShardService(List<BindableService> endpoints, Engine engine)
    implements HostedService {
  @Override
  public List<Engine> engines() {
    return List.of(engine);
  }

  /** The shards and their store belong to the process. */
  @Override
  public void close() {}
}
