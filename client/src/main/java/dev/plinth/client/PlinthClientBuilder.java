package dev.plinth.client;

import dev.plinth.client.internal.ClientEvents;
import dev.plinth.client.internal.ClientMetrics;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.OwnerId;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.machine.Machine;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The choices for a {@link PlinthClient}; each has a default. */
public final class PlinthClientBuilder {
  private static final Duration KEEPALIVE = Duration.ofSeconds(20);
  private static final int MAX_OWNER = 100;

  private final String target;
  private final ManagedChannel given;
  private Optional<String> owner = Optional.empty();
  private Duration sessionTtl = Duration.ofSeconds(10);
  private Duration lockDelay = Duration.ZERO;
  Duration memberTtl = Duration.ofSeconds(15);
  Duration callDeadline = Duration.ofSeconds(2);
  Duration operationTimeout = Duration.ofSeconds(10);
  Machine machine = Machine.system();
  ClientEvents events = ClientEvents.NONE;
  Optional<MeterRegistry> meters = Optional.empty();
  private Executor callbacks;

  PlinthClientBuilder(String target, ManagedChannel given) {
    this.target = target;
    this.given = given;
  }

  /** Who this is, to others and to itself after a restart; by default host, process and chance. */
  public PlinthClientBuilder owner(String id) {
    if (id.isEmpty() || id.length() > MAX_OWNER) {
      throw new IllegalArgumentException(
          "owner: " + id.length() + " characters (expected: 1.." + MAX_OWNER + ")");
    }
    owner = Optional.of(id);
    return this;
  }

  /** How long leases outlive this client's silence; 10 s by default. */
  public PlinthClientBuilder sessionTtl(Duration ttl) {
    sessionTtl = ttl;
    return this;
  }

  /** How long keys stay barred to others when this client is lost; not at all by default. */
  public PlinthClientBuilder lockDelay(Duration delay) {
    lockDelay = delay;
    return this;
  }

  /** How long members stay ALIVE at the registry while this client is silent; 15 s by default. */
  public PlinthClientBuilder memberTtl(Duration ttl) {
    memberTtl = ttl;
    return this;
  }

  /** For one attempt of a call; 2 s by default. */
  public PlinthClientBuilder callDeadline(Duration deadline) {
    callDeadline = deadline;
    return this;
  }

  /** For all attempts of a call that waits for nothing but its answer; 10 s by default. */
  public PlinthClientBuilder operationTimeout(Duration time) {
    operationTimeout = time;
    return this;
  }

  /**
   * Where callbacks run; by default on threads of the client's own, as many as it takes. One that
   * is refused here runs on those. Whatever callbacks do, heartbeats continue.
   */
  public PlinthClientBuilder callbacks(Executor executor) {
    callbacks = executor;
    return this;
  }

  /** Counts and times what this client does; needs Micrometer, which it has none of otherwise. */
  public PlinthClientBuilder metrics(MeterRegistry registry) {
    events = new ClientMetrics(registry);
    meters = Optional.of(registry);
    return this;
  }

  /**
   * Another machine than the one that this process runs on; for tests and simulations. What is
   * believed of leases, budgets and ids, and every timer, goes by its {@link Machine#time}, as its
   * schedulers must; time-outs of calls and pauses of callers go by the machine itself.
   */
  public PlinthClientBuilder machine(Machine given) {
    machine = given;
    return this;
  }

  public PlinthClient build() {
    return new PlinthClient(this);
  }

  boolean ownsChannel() {
    return given == null;
  }

  ManagedChannel openChannel() {
    return given != null
        ? given
        : Grpc.newChannelBuilder(target, InsecureChannelCredentials.create())
            .keepAliveTime(KEEPALIVE.toMillis(), TimeUnit.MILLISECONDS)
            .keepAliveWithoutCalls(true)
            .build();
  }

  OpenSessionRequest sessionTerms() {
    if (owner.isEmpty()) {
      owner = Optional.of(OwnerId.ofThisProcess(machine.random()));
    }
    OpenSessionRequest.Builder terms =
        OpenSessionRequest.newBuilder()
            .setOwnerId(owner.get())
            .setTtl(ClientWire.duration(sessionTtl));
    return lockDelay.isZero()
        ? terms.build()
        : terms.setLockDelay(ClientWire.duration(lockDelay)).build();
  }

  Executor callbacksOr(Executor otherwise) {
    return callbacks != null ? callbacks : otherwise;
  }
}
