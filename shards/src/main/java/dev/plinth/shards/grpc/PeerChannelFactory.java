package dev.plinth.shards.grpc;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.concurrent.TimeUnit;

/** Opens the connections between nodes. */
@FunctionalInterface
public interface PeerChannelFactory {
  /**
   * A channel with one connection, closed by whoever asked for it.
   *
   * @param address of the other node, as it has announced itself
   */
  ManagedChannel connect(String address);

  /** Over the network. */
  static PeerChannelFactory network() {
    return address ->
        ManagedChannelBuilder.forTarget("dns:///" + address)
            .usePlaintext()
            .directExecutor() // answers are only passed on
            .keepAliveTime(15, TimeUnit.SECONDS)
            .keepAliveTimeout(5, TimeUnit.SECONDS)
            .maxInboundMessageSize(Integer.MAX_VALUE) // what the owner may say, we may pass on
            .maxInboundMetadataSize(1 << 20)
            .build();
  }
}
