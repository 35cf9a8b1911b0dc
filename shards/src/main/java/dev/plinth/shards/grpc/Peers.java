package dev.plinth.shards.grpc;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One channel to each other node, for as long as it is there. */
final class Peers implements AutoCloseable {
  private static final long PING_SECONDS = 15;
  private static final long PING_TIMEOUT_SECONDS = 5;
  private static final int MOST_METADATA = 1 << 20;
  // For a node that leaves to send its last answers; one that is dead or hangs has none.
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Map<String, ManagedChannel> channels = new HashMap<>();
  private final Map<ManagedChannel, Long> ending = new HashMap<>();

  synchronized Channel to(String address) {
    return channels.computeIfAbsent(address, Peers::connect);
  }

  private static ManagedChannel connect(String address) {
    return ManagedChannelBuilder.forTarget("dns:///" + address)
        .usePlaintext()
        .directExecutor() // answers are only passed on
        .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(PING_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .maxInboundMessageSize(Integer.MAX_VALUE) // what the owner may say, we may pass on
        .maxInboundMetadataSize(MOST_METADATA)
        .build();
  }

  /** Lets go of those that are no longer there. */
  synchronized void retain(Set<String> live) {
    channels
        .entrySet()
        .removeIf(
            peer -> {
              boolean gone = !live.contains(peer.getKey());
              if (gone) {
                ending.put(peer.getValue().shutdown(), System.nanoTime());
              }
              return gone;
            });
    ending
        .entrySet()
        .removeIf(
            peer -> {
              boolean over = System.nanoTime() - peer.getValue() > GRACE_NANOS;
              if (over) {
                peer.getKey().shutdownNow();
              }
              return over || peer.getKey().isTerminated();
            });
  }

  synchronized int open() {
    return channels.size();
  }

  @Override
  public synchronized void close() {
    channels.values().forEach(ManagedChannel::shutdownNow);
    ending.keySet().forEach(ManagedChannel::shutdownNow);
  }
}
