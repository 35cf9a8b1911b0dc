package dev.plinth.simulation.network;

import dev.plinth.simulation.kernel.SimulatedMachine;
import io.grpc.BindableService;
import io.grpc.CompressorRegistry;
import io.grpc.DecompressorRegistry;
import io.grpc.HandlerRegistry;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.ServerTransportFilter;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Collects what a server on the simulated network serves. */
public final class SimulatedServerBuilder extends ServerBuilder<SimulatedServerBuilder> {
  final SimulatedNetwork network;
  final SimulatedMachine machine;
  final String address;
  final int callsPerConnection;
  final List<ServerServiceDefinition> services = new ArrayList<>();
  final List<ServerInterceptor> interceptors = new ArrayList<>();
  final List<ServerTransportFilter> filters = new ArrayList<>();
  final List<ServerStreamTracer.Factory> tracers = new ArrayList<>();

  SimulatedServerBuilder(
      SimulatedNetwork network, SimulatedMachine machine, String address, int callsPerConnection) {
    this.network = network;
    this.machine = machine;
    this.address = address;
    this.callsPerConnection = callsPerConnection;
  }

  @Override
  public SimulatedServerBuilder directExecutor() {
    return this;
  }

  @Override
  public SimulatedServerBuilder executor(Executor executor) {
    throw new UnsupportedOperationException("calls run on the process's network thread");
  }

  @Override
  public SimulatedServerBuilder addService(ServerServiceDefinition service) {
    services.add(service);
    return this;
  }

  @Override
  public SimulatedServerBuilder addService(BindableService service) {
    return addService(service.bindService());
  }

  @Override
  public SimulatedServerBuilder intercept(ServerInterceptor interceptor) {
    interceptors.add(interceptor);
    return this;
  }

  @Override
  public SimulatedServerBuilder addTransportFilter(ServerTransportFilter filter) {
    filters.add(filter);
    return this;
  }

  @Override
  public SimulatedServerBuilder addStreamTracerFactory(ServerStreamTracer.Factory factory) {
    tracers.add(factory);
    return this;
  }

  @Override
  public SimulatedServerBuilder fallbackHandlerRegistry(HandlerRegistry registry) {
    throw new UnsupportedOperationException("fallback registry");
  }

  @Override
  public SimulatedServerBuilder useTransportSecurity(File chain, File key) {
    throw new UnsupportedOperationException("TLS");
  }

  @Override
  public SimulatedServerBuilder decompressorRegistry(DecompressorRegistry registry) {
    return this;
  }

  @Override
  public SimulatedServerBuilder compressorRegistry(CompressorRegistry registry) {
    return this;
  }

  @Override
  public Server build() {
    return new SimulatedServer(this);
  }
}
