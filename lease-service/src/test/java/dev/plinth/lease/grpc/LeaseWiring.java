package dev.plinth.lease.grpc;

import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.shards.fixture.Wiring;
import java.util.function.Supplier;

/** Leases and elections as their tests start them. */
final class LeaseWiring implements Supplier<Wiring<?>> {
  static final Wiring<LeaseApp> WIRING = new Wiring<>(LeaseService::app, LeaseService::on);

  @Override
  public Wiring<?> get() {
    return WIRING;
  }
}
