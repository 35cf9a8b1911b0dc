package dev.plinth.testkit;

import io.grpc.EquivalentAddressGroup;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.StatusOr;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;

/** A channel that spreads its calls over several hosts, as a client in production does. */
public final class RoundRobinChannel extends NameResolverProvider implements AutoCloseable {
  private final List<EquivalentAddressGroup> hosts;
  private final ManagedChannel channel;

  private RoundRobinChannel(int... ports) {
    hosts =
        Arrays.stream(ports)
            .mapToObj(port -> new EquivalentAddressGroup(new InetSocketAddress("127.0.0.1", port)))
            .toList();
    NameResolverRegistry.getDefaultRegistry().register(this);
    channel =
        ManagedChannelBuilder.forTarget("twins:///hosts")
            .defaultLoadBalancingPolicy("round_robin")
            .usePlaintext()
            .build();
  }

  public static RoundRobinChannel of(int... ports) {
    return new RoundRobinChannel(ports);
  }

  public ManagedChannel channel() {
    return channel;
  }

  @Override
  public NameResolver newNameResolver(URI target, NameResolver.Args args) {
    return new NameResolver() {
      @Override
      public String getServiceAuthority() {
        return "twins";
      }

      @Override
      public void start(Listener2 listener) {
        listener.onResult(
            ResolutionResult.newBuilder().setAddressesOrError(StatusOr.fromValue(hosts)).build());
      }

      @Override
      public void shutdown() {}
    };
  }

  @Override
  protected boolean isAvailable() {
    return true;
  }

  @Override
  protected int priority() {
    return 5;
  }

  @Override
  public String getDefaultScheme() {
    return "twins";
  }

  @Override
  public void close() {
    channel.shutdownNow();
    NameResolverRegistry.getDefaultRegistry().deregister(this);
  }
}
