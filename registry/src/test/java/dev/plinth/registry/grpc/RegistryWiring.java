package dev.plinth.registry.grpc;

import dev.plinth.registry.RegistryService;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.shards.fixture.Wiring;
import java.util.function.Supplier;

/** The registry as its tests start it. */
final class RegistryWiring implements Supplier<Wiring<?>> {
  static final Wiring<RegistryApp> WIRING = new Wiring<>(RegistryService::app, RegistryService::on);

  @Override
  public Wiring<?> get() {
    return WIRING;
  }
}
