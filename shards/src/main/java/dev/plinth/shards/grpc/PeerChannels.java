package dev.plinth.shards.grpc;

import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The connections to each other node, for as long as it is there. Calls that are answered at once
 * have connections apart from those that may stay open, so a heartbeat never waits behind waits.
 */
final class PeerChannels implements AutoCloseable {
  // For a node that leaves to send its last answers; one that is dead or hangs has none.
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How long a call may stay open. */
  enum Kind {
    /** Answered as soon as it is decided. */
    SHORT,
    /** A stream, or a call that waits for its turn. */
    LONG
  }

  private record Peer(PeerConnections shortCalls, PeerConnections longCalls) {
    PeerConnections of(Kind kind) {
      return kind == Kind.SHORT ? shortCalls : longCalls;
    }

    List<ManagedChannel> channels() {
      List<ManagedChannel> all = new ArrayList<>(List.of(shortCalls.channels()));
      all.addAll(List.of(longCalls.channels()));
      return all;
    }
  }

  private final PeerChannelFactory factory;
  private final int callsPerConnection;
  private final LongSupplier nanos;
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();
  private final Map<ManagedChannel, Long> ending = new LinkedHashMap<>();

  /**
   * @param callsPerConnection that the peers take at least; more would wait at them
   */
  PeerChannels(PeerChannelFactory factory, int callsPerConnection, LongSupplier nanos) {
    this.factory = factory;
    this.callsPerConnection = callsPerConnection;
    this.nanos = nanos;
  }

  /** A connection for one call, to be released when the call ends. */
  PeerConnections.Connection take(String address, Kind kind) {
    return peers.computeIfAbsent(address, this::peer).of(kind).take();
  }

  private Peer peer(String address) {
    return new Peer(connections(address), connections(address));
  }

  private PeerConnections connections(String address) {
    return new PeerConnections(() -> factory.connect(address), callsPerConnection, nanos);
  }

  /** Lets go of those that are no longer there, and of connections that are no longer needed. */
  synchronized void retain(Set<String> live) {
    retain(live, IDLE_NANOS);
  }

  synchronized void retain(Set<String> live, long idleNanos) {
    peers
        .entrySet()
        .removeIf(
            peer -> {
              boolean gone = !live.contains(peer.getKey());
              if (gone) {
                peer.getValue()
                    .channels()
                    .forEach(channel -> ending.put(channel.shutdown(), nanos.getAsLong()));
              }
              return gone;
            });
    for (Peer peer : peers.values()) {
      peer.shortCalls().shrink(idleNanos);
      peer.longCalls().shrink(idleNanos);
    }
    ending
        .entrySet()
        .removeIf(
            peer -> {
              boolean over = nanos.getAsLong() - peer.getValue() > GRACE_NANOS;
              if (over) {
                peer.getKey().shutdownNow();
              }
              return over || peer.getKey().isTerminated();
            });
  }

  /** How many connections there are, to all peers. */
  int open() {
    return peers.values().stream().mapToInt(peer -> peer.channels().size()).sum();
  }

  @Override
  public synchronized void close() {
    peers.values().forEach(peer -> peer.channels().forEach(ManagedChannel::shutdownNow));
    ending.keySet().forEach(ManagedChannel::shutdownNow);
  }
}
