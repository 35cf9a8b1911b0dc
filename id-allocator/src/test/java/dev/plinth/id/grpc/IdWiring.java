package dev.plinth.id.grpc;

import dev.plinth.id.IdService;
import dev.plinth.id.core.IdApp;
import dev.plinth.shards.fixture.Wiring;
import java.util.function.Supplier;

/** The id allocator as its tests start it. */
final class IdWiring implements Supplier<Wiring<?>> {
  private static final Wiring<IdApp> WIRING =
      new Wiring<>((machine, meters) -> IdService.app(machine.time(), meters), IdService::on);

  @Override
  public Wiring<?> get() {
    return WIRING;
  }
}
