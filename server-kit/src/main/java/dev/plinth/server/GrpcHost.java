package dev.plinth.server;

import dev.plinth.admin.v1.ListShardsResponse;
import dev.plinth.machine.Machine;
import dev.plinth.server.call.CallContext;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.server.call.ConnectionBytes;
import dev.plinth.server.call.DeadlineCap;
import dev.plinth.server.call.MalformedRequests;
import dev.plinth.server.call.StatusMappingInterceptor;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.micrometer.core.instrument.binder.grpc.MetricCollectingServerInterceptor;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The server of a process: its services behind one port, with metrics, deadlines, mapped failures,
 * health, reflection and an admin page. {@link #close} drains: health says NOT_SERVING, other nodes
 * take over what they can, callers get time to notice, running calls get time to end, and only then
 * do the services close.
 */
public final class GrpcHost implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.host");
  // What open calls, their requests and answers that are not taken may use in all.
  private static final long SHARE_OF_HEAP = 8;
  private static final Duration HEALTH_INTERVAL = Duration.ofMillis(500);
  private static final Duration DRAIN_CHECK = Duration.ofMillis(2);

  private final Machine machine;
  private final HostSettings settings;
  private final List<HostedService> services;
  private final CallRouter router;
  private final HealthMonitor healthMonitor;
  private final ScheduledExecutorService deadlines;
  private final ScheduledExecutorService healthChecks;
  private final ConnectionBytes connections;
  private final ServerSockets serverSockets;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Server server;
  private final Optional<AdminHttp> admin;

  private GrpcHost(Builder builder, ServerBuilder<?> transport, ServerSockets serverSockets)
      throws IOException {
    this.serverSockets = serverSockets;
    machine = builder.machine;
    settings = builder.settings;
    services = List.copyOf(builder.services);
    router = builder.router;
    connections =
        new ConnectionBytes(
            settings.limits().connectionBytes().bytes(),
            Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP,
            machine.random());
    healthMonitor = new HealthMonitor(machine.time());
    deadlines = machine.scheduler("plinth-deadlines");
    // A thread of its own: an engine that is slow to answer must not delay the end of a call.
    healthChecks = machine.scheduler("plinth-health");
    Server started = null;
    try {
      wire(transport, builder);
      healthMonitor.refresh();
      builder.metrics.watch(healthMonitor);
      started = transport.build().start();
      builder.afterBind.accept(started.getPort());
      // Last, so that /readyz answers only once calls do, just before the ready line.
      admin = builder.hasAdminPage ? Optional.of(adminPage(builder)) : Optional.empty();
      server = started;
    } catch (IOException | RuntimeException e) {
      if (started != null) {
        started.shutdownNow();
      }
      deadlines.shutdownNow();
      healthChecks.shutdownNow();
      throw e;
    }
    long interval = HEALTH_INTERVAL.toMillis();
    healthChecks.scheduleWithFixedDelay(
        healthMonitor::refresh, interval, interval, TimeUnit.MILLISECONDS);
  }

  private AdminHttp adminPage(Builder builder) throws IOException {
    return new AdminHttp(
        builder.address(settings.adminPort()), builder.metrics, healthMonitor, machine);
  }

  /** On the machine of this process. */
  public static Builder builder(HostSettings settings, Metrics metrics) {
    return builder(settings, metrics, Machine.system());
  }

  public static Builder builder(HostSettings settings, Metrics metrics, Machine machine) {
    return new Builder(settings, metrics, machine);
  }

  /** Collects the services, then starts. */
  public static final class Builder {
    private final HostSettings settings;
    private final Metrics metrics;
    private final Machine machine;
    private final List<HostedService> services = new ArrayList<>();
    private final List<Engine> engines = new ArrayList<>();
    private Supplier<ListShardsResponse> shards;
    private CallRouter router = CallRouter.NONE;
    private IntConsumer afterBind = port -> {};
    private boolean hasAdminPage = true;

    private Builder(HostSettings settings, Metrics metrics, Machine machine) {
      this.settings = settings;
      this.metrics = metrics;
      this.machine = machine;
    }

    public Builder add(HostedService service) {
      services.add(service);
      return this;
    }

    /** Watches an engine that the process depends on, whether or not a service names it. */
    public Builder engine(Engine engine) {
      engines.add(engine);
      return this;
    }

    /** Takes the calls of all services to the nodes that answer them; closed by its owner. */
    public Builder router(CallRouter between) {
      router = between;
      return this;
    }

    /** What the admin service tells of shards; asked per call, so it answers from memory. */
    public Builder shards(Supplier<ListShardsResponse> list) {
      shards = list;
      return this;
    }

    /** Runs once calls are answered on the port, before {@code /readyz} answers. */
    public Builder afterBind(IntConsumer task) {
      afterBind = task;
      return this;
    }

    /** Opens no port for the admin page, so that all there is runs on the transport's threads. */
    public Builder withoutAdminPage() {
      hasAdminPage = false;
      return this;
    }

    /**
     * Serves on the port of the settings.
     *
     * @throws StartRefusedException if a port is taken or the address is not ours
     */
    public GrpcHost start() {
      ServerSockets serverSockets =
          new ServerSockets(settings.limits().connections(), metrics.registry(), machine.nanos());
      try {
        return start(netty(serverSockets), serverSockets);
      } catch (RuntimeException e) {
        serverSockets.close();
        throw e;
      }
    }

    /** Serves on a transport of the caller's, such as gRPC's in-process one. */
    public GrpcHost start(ServerBuilder<?> transport) {
      return start(transport, null);
    }

    private GrpcHost start(ServerBuilder<?> transport, ServerSockets serverSockets) {
      try {
        return new GrpcHost(this, transport, serverSockets);
      } catch (IOException e) {
        throw new StartRefusedException(
            "cannot listen on %s, ports %d and %d (%s); --port and --admin-port choose others, 0 picks a free one"
                .formatted(settings.bind(), settings.port(), settings.adminPort(), reason(e)),
            e);
      }
    }

    private InetSocketAddress address(int port) {
      return new InetSocketAddress(settings.bind(), port);
    }

    private NettyServerBuilder netty(ServerSockets serverSockets) {
      HostSettings.Limits limits = settings.limits();
      HostSettings.ConnectionLifetime lifetime = limits.lifetime();
      return serverSockets
          .listenOn(address(settings.port()))
          // No handler waits for anything (ADR 10), so none needs a thread of its own, and waking
          // one costs more than most calls do.
          .directExecutor()
          .maxInboundMessageSize(limits.messageSize().asInt())
          .maxInboundMetadataSize(limits.metadataSize().asInt())
          .maxConcurrentCallsPerConnection(limits.callsPerConnection())
          .permitKeepAliveTime(lifetime.keepaliveInterval().toMillis(), TimeUnit.MILLISECONDS)
          .permitKeepAliveWithoutCalls(true)
          .maxConnectionAge(lifetime.connectionAge().toMillis(), TimeUnit.MILLISECONDS)
          .maxConnectionAgeGrace(lifetime.connectionAgeGrace().toMillis(), TimeUnit.MILLISECONDS);
    }

    private static String reason(IOException e) {
      return e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
    }
  }

  private void wire(ServerBuilder<?> transport, Builder builder) {
    MetricCollectingServerInterceptor meters =
        new MetricCollectingServerInterceptor(builder.metrics.registry());
    MalformedRequests malformed =
        new MalformedRequests(builder.metrics.registry(), machine.nanos());
    HostSettings.Limits limits = settings.limits();
    builder.metrics.watch(connections);
    // gRPC runs the interceptor added last first, so this reads from the innermost outwards.
    transport
        .intercept(new StatusMappingInterceptor(machine.random()))
        .intercept(CallContext.interceptor(machine.random()))
        .intercept(new DeadlineCap(limits.unaryDeadline(), deadlines, machine.ticker()))
        .intercept(connections)
        .intercept(meters)
        .addStreamTracerFactory(connections)
        .addTransportFilter(connections.transportFilter());
    builder.engines.forEach(healthMonitor::add);
    for (HostedService service : services) {
      for (BindableService endpoint : service.endpoints()) {
        serve(
            transport,
            meters,
            malformed.around(router.route(declared(endpoint), service::routing)),
            service.engines());
      }
    }
    AdminEndpoint status =
        new AdminEndpoint(healthMonitor, builder.shards, machine.time(), machine.nanos());
    serve(transport, meters, malformed.around(declared(status)), List.of());
    transport.addService(malformed.around(healthMonitor.endpoint().bindService()));
    if (settings.reflection()) {
      transport.addService(malformed.around(ProtoReflectionServiceV1.newInstance().bindService()));
    }
  }

  private static ServerServiceDefinition declared(BindableService endpoint) {
    ServerServiceDefinition definition = endpoint.bindService();
    CallDeclaration.require(definition);
    return definition;
  }

  private void serve(
      ServerBuilder<?> transport,
      MetricCollectingServerInterceptor meters,
      ServerServiceDefinition definition,
      List<Engine> engines) {
    transport.addService(definition);
    // So that a dashboard shows zero, not a hole, before the first call.
    meters.preregisterService(definition);
    healthMonitor.add(definition.getServiceDescriptor().getName(), engines);
  }

  public int port() {
    return server.getPort();
  }

  /** Of the admin page, if there is one. */
  public int adminPort() {
    return admin.orElseThrow().port();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      drain();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.shutdownNow();
    for (int i = services.size() - 1; i >= 0; i--) {
      HostedService service = services.get(i);
      quietly("closing", service, service::close);
    }
    admin.ifPresent(AdminHttp::close);
    if (serverSockets != null) {
      serverSockets.close();
    }
    deadlines.shutdownNow();
    healthChecks.shutdownNow();
    log.log(Level.INFO, "stopped");
  }

  private void drain() throws InterruptedException {
    HostSettings.Drain drain = settings.drain();
    healthMonitor.drain();
    quietly("leaving", router, () -> router.leave(HostSettings.Drain.LEAVE));
    int open = connections.open();
    if (open > 0) {
      log.log(
          Level.INFO,
          "draining " + open + " connections, " + drain.pause().toMillis() + " ms to notice");
      machine.pause(drain.pause());
    }
    server.shutdown();
    if (!awaitEnd(drain.grace())) {
      log.log(
          Level.WARNING, "calls still running after {0} ms are cut off", drain.grace().toMillis());
    }
  }

  /** By looking: gRPC would wait by a clock of its own. */
  private boolean awaitEnd(Duration atMost) throws InterruptedException {
    long from = machine.nanos().getAsLong();
    while (!server.isTerminated() && machine.nanos().getAsLong() - from < atMost.toNanos()) {
      machine.pause(DRAIN_CHECK);
    }
    return server.isTerminated();
  }

  private static void quietly(String what, Object part, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      // The services after this one must still get to close their stores.
      log.log(Level.ERROR, what + " " + part.getClass().getSimpleName() + " failed", e);
    }
  }
}
