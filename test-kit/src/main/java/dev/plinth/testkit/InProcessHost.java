package dev.plinth.testkit;

import dev.plinth.server.CallRouter;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.HostSettings;
import dev.plinth.server.HostedService;
import dev.plinth.server.Metrics;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;

/** A service behind the real host, with all its interceptors, but without a network. */
public final class InProcessHost implements AutoCloseable {
  private final Metrics metrics = new Metrics();
  private final GrpcHost host;
  private final ManagedChannel channel;

  private InProcessHost(HostedService service, CallRouter router, String... flags) {
    String name = InProcessServerBuilder.generateName();
    host =
        GrpcHost.builder(hostSettings(flags), metrics)
            .router(router)
            .add(service)
            .start(InProcessServerBuilder.forName(name));
    channel = InProcessChannelBuilder.forName(name).build();
  }

  /** Flags are those of a process, such as {@code --limits.unary-deadline=50ms}. */
  public static InProcessHost serving(HostedService service, String... flags) {
    return new InProcessHost(service, CallRouter.NONE, flags);
  }

  /** Like the other, for one of several nodes. */
  public static InProcessHost routed(HostedService service, CallRouter router) {
    return new InProcessHost(service, router);
  }

  /** Settings for a host on free ports that ends without waiting. */
  public static HostSettings hostSettings(String... flags) {
    return TestSettings.read(
        HostSettings.class,
        TestSettings.join(flags, "--port=0", "--admin-port=0", "--drain.pause=0s"));
  }

  public Channel channel() {
    return channel;
  }

  public MeterRegistry meters() {
    return metrics.registry();
  }

  public int adminPort() {
    return host.adminPort();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    host.close();
    metrics.close();
  }
}
