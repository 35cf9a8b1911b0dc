package dev.plinth.config.grpc;

import dev.plinth.config.ConfigService;
import dev.plinth.config.core.ConfigApp;
import dev.plinth.shards.fixture.Wiring;
import java.util.function.Supplier;

/** Configs as their tests start them. */
final class ConfigWiring implements Supplier<Wiring<?>> {
  static final Wiring<ConfigApp> WIRING = new Wiring<>(ConfigService::app, ConfigService::on);

  @Override
  public Wiring<?> get() {
    return WIRING;
  }
}
