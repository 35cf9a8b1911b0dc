package dev.plinth.shards.grpc;

import dev.plinth.server.CallRouter;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.Shards;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Lets every node answer for every shard: a call whose shard is elsewhere is passed on to its
 * owner, and one whose shard moves waits for it. A call goes one step at most.
 */
public final class CallForwarder implements CallRouter, AutoCloseable {
  /** Names the node that passed a call on; who finds it does not do so again. */
  public static final Metadata.Key<String> FORWARDED_BY =
      Metadata.Key.of("plinth-forwarded-by", Metadata.ASCII_STRING_MARSHALLER);

  private static final int CALLS_PER_CONNECTION = 1000; // what a host takes by default

  private final Shards shards;
  private final String node;
  private final LongSupplier nanos;
  private final PeerChannels peerChannels;

  /** Among nodes that take as many calls on a connection as is the default. */
  public CallForwarder(Shards shards, String node) {
    this(shards, node, CALLS_PER_CONNECTION);
  }

  /**
   * @param node what the other nodes are told this one is called
   * @param callsPerConnection that a node takes, as all of them are set
   */
  public CallForwarder(Shards shards, String node, int callsPerConnection) {
    this(shards, node, callsPerConnection, PeerChannelFactory.network());
  }

  /** Like the other, with connections that are given. */
  public CallForwarder(
      Shards shards, String node, int callsPerConnection, PeerChannelFactory factory) {
    this.shards = shards;
    this.nanos = shards.machine().nanos();
    // Half, so that a node that is set to take fewer, or still counts calls that ended, has room.
    this.peerChannels = new PeerChannels(factory, Math.max(1, callsPerConnection / 2), nanos);
    this.node = node.replaceAll("[^ -~]", "?");
    shards.routes().onPeers(peerChannels::retain);
  }

  @Override
  public ServerServiceDefinition route(
      ServerServiceDefinition service,
      Function<MethodDescriptor<?, ?>, Optional<CallDeclaration>> declared) {
    ServerServiceDefinition.Builder routed =
        ServerServiceDefinition.builder(service.getServiceDescriptor());
    service.getMethods().forEach(method -> routed.addMethod(routed(method, declared)));
    return routed.build();
  }

  @Override
  public void leave(Duration atMost) {
    shards.leave(atMost);
  }

  private <Q, A> ServerMethodDefinition<Q, A> routed(
      ServerMethodDefinition<Q, A> method,
      Function<MethodDescriptor<?, ?>, Optional<CallDeclaration>> declared) {
    MethodDescriptor<Q, A> descriptor = method.getMethodDescriptor();
    return declared
        .apply(descriptor)
        .flatMap(
            declaration ->
                ShardKeyExtractor.of(declaration)
                    .map(
                        key ->
                            new RoutedCall.Path<>(
                                this,
                                key,
                                CallKind.of(descriptor, declaration),
                                method.getServerCallHandler())))
        .map(
            path ->
                method.withServerCallHandler(
                    (call, headers) -> new RoutedCall<>(path, call, headers).begin()))
        .orElse(method);
  }

  Shards shards() {
    return shards;
  }

  LongSupplier nanos() {
    return nanos;
  }

  String node() {
    return node;
  }

  PeerChannels peers() {
    return peerChannels;
  }

  @Override
  public void close() {
    peerChannels.close();
  }
}
