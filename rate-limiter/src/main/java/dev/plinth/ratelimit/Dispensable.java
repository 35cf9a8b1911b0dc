package dev.plinth.ratelimit;

import dev.plinth.server.Engine;
import java.util.Optional;

/** An engine without which we answer, in another way: its trouble is to be seen, not to end us. */
record Dispensable(Engine engine) implements Engine {
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
