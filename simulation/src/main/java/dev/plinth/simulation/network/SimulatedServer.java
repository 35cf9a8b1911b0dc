package dev.plinth.simulation.network;

import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A server at an address of the simulated network, for one life of its process. */
final class SimulatedServer extends Server {
  private static final class Address extends SocketAddress {
    private static final long serialVersionUID = 1;
    private final String name;

    Address(String name) {
      this.name = name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final SimulatedServerBuilder builder;
  private final Map<String, ServerMethodDefinition<?, ?>> methods = new LinkedHashMap<>();
  private final Set<Connection> connections = new LinkedHashSet<>();
  private final ScheduledExecutorService deadlines;
  private boolean shutdown;

  SimulatedServer(SimulatedServerBuilder builder) {
    this.builder = builder;
    this.deadlines = builder.machine.scheduler("server");
    for (ServerServiceDefinition service : builder.services) {
      ServerInterceptors.intercept(service, builder.interceptors)
          .getMethods()
          .forEach(method -> methods.put(method.getMethodDescriptor().getFullMethodName(), method));
    }
  }

  SimulatedProcess process() {
    return machine().process();
  }

  private SimulatedMachine machine() {
    return builder.machine;
  }

  String address() {
    return builder.address;
  }

  int callsPerConnection() {
    return builder.callsPerConnection;
  }

  @Override
  public Server start() {
    builder.network.listen(this);
    return this;
  }

  @Override
  public int getPort() {
    return Integer.parseInt(address().substring(address().indexOf(':') + 1));
  }

  void accept(Connection connection) {
    Attributes attributes =
        Attributes.newBuilder()
            .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, new Address(connection.client().name()))
            .build();
    for (ServerTransportFilter filter : builder.filters) {
      attributes = filter.transportReady(attributes);
    }
    connection.accepted(attributes);
    connections.add(connection);
  }

  void lost(Connection connection) {
    connections.remove(connection);
    builder.filters.forEach(filter -> filter.transportTerminated(connection.attributes()));
  }

  /** A call arrived. */
  SimulatedServerCall<?, ?> begin(
      Connection connection,
      SimulatedClientCall<?, ?> client,
      String name,
      Metadata headers,
      long nanosLeft) {
    List<ServerStreamTracer> tracers =
        builder.tracers.stream()
            .map(factory -> factory.newServerStreamTracer(name, headers))
            .toList();
    Context context = Context.ROOT;
    for (ServerStreamTracer tracer : tracers) {
      context = tracer.filterContext(context);
    }
    ServerMethodDefinition<?, ?> method = methods.get(name);
    if (method == null) {
      connection.sendToClient(
          new MessageOrder(),
          () -> client.trailersArrived(Status.UNIMPLEMENTED.withDescription(name), new Metadata()));
      throw new IllegalStateException("no method " + name);
    }
    return start(connection, client, method, headers, cancellable(context, nanosLeft), tracers);
  }

  private Context.CancellableContext cancellable(Context context, long nanosLeft) {
    return nanosLeft == Long.MAX_VALUE
        ? context.withCancellation()
        : context.withDeadline(
            Deadline.after(nanosLeft, TimeUnit.NANOSECONDS, machine().ticker()), deadlines);
  }

  private static <Q, A> SimulatedServerCall<Q, A> start(
      Connection connection,
      SimulatedClientCall<?, ?> client,
      ServerMethodDefinition<Q, A> method,
      Metadata headers,
      Context.CancellableContext context,
      List<ServerStreamTracer> tracers) {
    SimulatedServerCall<Q, A> call =
        new SimulatedServerCall<>(
            connection, client, method.getMethodDescriptor(), context, tracers);
    call.start(method.getServerCallHandler(), headers);
    return call;
  }

  void callEnded() {
    if (shutdown) {
      List.copyOf(connections).stream()
          .filter(connection -> !connection.hasServerCalls())
          .forEach(Connection::closeByServer);
    }
  }

  @Override
  public Server shutdown() {
    if (!shutdown) {
      shutdown = true;
      builder.network.stopListening(this);
      connections.forEach(Connection::goAway);
      callEnded();
    }
    return this;
  }

  @Override
  public Server shutdownNow() {
    shutdown();
    List.copyOf(connections).forEach(Connection::closeByServer);
    return this;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && connections.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return machine().awaitUntil(this::isTerminated, unit.toNanos(timeout));
  }

  @Override
  public void awaitTermination() throws InterruptedException {
    awaitTermination(Long.MAX_VALUE / 2, TimeUnit.NANOSECONDS);
  }
}
