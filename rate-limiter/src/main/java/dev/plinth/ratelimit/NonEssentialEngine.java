package dev.plinth.ratelimit;

import dev.plinth.server.Engine;
import java.util.Optional;

/** An engine whose failure is reported but does not make the service unhealthy. */
record NonEssentialEngine(Engine engine) implements Engine {
  @Override
  public String name() {
    return engine.name();
  }

  @Override
  public String kind() {
    return engine.kind();
  }

  @Override
  public String location() {
    return engine.location();
  }

  @Override
  public Optional<String> unavailableReason() {
    return engine.unavailableReason();
  }

  @Override
  public boolean isEssential() {
    return false;
  }
}
