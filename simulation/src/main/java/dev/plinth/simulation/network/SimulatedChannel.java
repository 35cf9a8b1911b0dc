package dev.plinth.simulation.network;

import dev.plinth.simulation.kernel.ScheduledEvent;
import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A channel of a process to one address. It connects with its first call, and again when lost. */
final class SimulatedChannel extends ManagedChannel {
  private static final long CONNECT_NANOS = 20_000_000_000L;
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final SimulatedNetwork network;
  private final SimulatedMachine machine;
  private final String address;
  private final ScheduledExecutorService deadlines;
  private final Set<SimulatedClientCall<?, ?>> waiting = new LinkedHashSet<>();
  private final Set<SimulatedClientCall<?, ?>> open = new LinkedHashSet<>();
  private Connection connection;
  private ScheduledEvent connecting;
  private boolean shutdown;

  SimulatedChannel(SimulatedNetwork network, SimulatedMachine machine, String address) {
    this.network = network;
    this.machine = machine;
    this.address = address;
    this.deadlines = machine.scheduler("channel");
  }

  SimulatedProcess process() {
    return machine.process();
  }

  SimulatedNetwork network() {
    return network;
  }

  ScheduledExecutorService deadlines() {
    return deadlines;
  }

  @Override
  public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
    return new SimulatedClientCall<>(this, method, options);
  }

  @Override
  public String authority() {
    return address;
  }

  /** Begins a call once there is a connection with room for it. */
  void begin(SimulatedClientCall<?, ?> call) {
    if (shutdown) {
      process()
          .after(
              0, () -> call.fail(Status.UNAVAILABLE.withDescription("the channel is shut down")));
      return;
    }
    open.add(call);
    waiting.add(call);
    if (connection != null) {
      hasRoom();
    } else if (connecting == null) {
      connect();
    }
  }

  void ended(SimulatedClientCall<?, ?> call) {
    waiting.remove(call);
    open.remove(call);
  }

  void hasRoom() {
    while (connection != null && connection.hasRoom() && !waiting.isEmpty()) {
      SimulatedClientCall<?, ?> next = waiting.iterator().next();
      waiting.remove(next);
      next.send(connection);
    }
  }

  private void connect() {
    connecting = process().after(CONNECT_NANOS, () -> failed("connect timed out"));
    ScheduledEvent attempt = connecting;
    String here = process().name();
    String there = SimulatedNetwork.computer(address);
    // A computer without a process still answers, for the world it stands in.
    network
        .link(here, there)
        .send(
            process(),
            network.simulation().world(),
            new MessageOrder(),
            () -> answer(attempt, here, there));
  }

  private void answer(ScheduledEvent attempt, String here, String there) {
    SimulatedProcess world = network.simulation().world();
    SimulatedServer server = network.serverAt(address).orElse(null);
    network
        .link(there, here)
        .send(
            world,
            process(),
            new MessageOrder(),
            () -> {
              if (attempt == connecting) {
                connected(server);
              }
            });
  }

  private void connected(SimulatedServer server) {
    if (server == null || !server.process().isAlive() || server.isShutdown()) {
      failed("connection refused");
      return;
    }
    connecting.cancel();
    connecting = null;
    connection = new Connection(network, this, server);
    server.accept(connection);
    network.opened(connection);
    hasRoom();
  }

  private void failed(String why) {
    connecting.cancel();
    connecting = null;
    for (SimulatedClientCall<?, ?> call : List.copyOf(waiting)) {
      if (!call.waitsForReady()) {
        call.fail(Status.UNAVAILABLE.withDescription(why));
      }
    }
    retryLater();
  }

  private void retryLater() {
    if (!waiting.isEmpty()) {
      process()
          .after(
              RETRY_NANOS,
              () -> {
                if (connection == null && connecting == null && !waiting.isEmpty()) {
                  connect();
                }
              });
    }
  }

  void lost(Connection which) {
    if (connection == which) {
      connection = null;
      retryLater();
    }
  }

  @Override
  public ManagedChannel shutdown() {
    shutdown = true;
    return this;
  }

  @Override
  public ManagedChannel shutdownNow() {
    shutdown = true;
    for (SimulatedClientCall<?, ?> call : List.copyOf(open)) {
      call.cancel("shutdownNow", null);
    }
    if (connection != null) {
      connection.closeByClient();
    }
    return this;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && open.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return machine.awaitUntil(this::isTerminated, unit.toNanos(timeout));
  }
}
