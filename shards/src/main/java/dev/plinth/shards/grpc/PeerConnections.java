package dev.plinth.shards.grpc;

import io.grpc.ManagedChannel;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The connections to one peer for calls of one kind. A server takes so many calls on a connection
 * and lets the others wait, so a call goes to the first connection that has room, and a new one is
 * opened where none has. Those that are no longer needed are closed again.
 */
final class PeerConnections {
  /** Added to the calls of a connection that takes no more. */
  private static final int RETIRED = 1 << 30;

  /** One connection, taken for one call until {@link #release}. */
  static final class Connection {
    private final ManagedChannel channel;
    private final LongSupplier nanos;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile long idleSince;

    private Connection(ManagedChannel channel, LongSupplier nanos) {
      this.channel = channel;
      this.nanos = nanos;
      this.idleSince = nanos.getAsLong();
    }

    ManagedChannel channel() {
      return channel;
    }

    private boolean take(int most) {
      if (calls.incrementAndGet() <= most) {
        return true;
      }
      calls.decrementAndGet();
      return false;
    }

    /** Once for each call, when it has ended. */
    void release() {
      idleSince = nanos.getAsLong();
      calls.decrementAndGet();
    }

    private boolean retire(long idleNanos) {
      return nanos.getAsLong() - idleSince >= idleNanos && calls.compareAndSet(0, RETIRED);
    }
  }

  private final Supplier<ManagedChannel> connect;
  private final int maxCalls;
  private final LongSupplier nanos;
  private volatile Connection[] connections = new Connection[0];

  /**
   * @param maxCalls that a connection takes at a time
   */
  PeerConnections(Supplier<ManagedChannel> connect, int maxCalls, LongSupplier nanos) {
    this.connect = connect;
    this.maxCalls = maxCalls;
    this.nanos = nanos;
  }

  /** A connection with room for a call. The first ones fill up first, so the last fall idle. */
  Connection take() {
    Connection free = free();
    return free == null ? grow() : free;
  }

  private Connection free() {
    for (Connection connection : connections) {
      if (connection.take(maxCalls)) {
        return connection;
      }
    }
    return null;
  }

  private synchronized Connection grow() {
    Connection free = free(); // another call may have grown it meanwhile
    if (free != null) {
      return free;
    }
    Connection added = new Connection(connect.get(), nanos);
    added.take(maxCalls);
    Connection[] more = Arrays.copyOf(connections, connections.length + 1);
    more[connections.length] = added;
    connections = more;
    return added;
  }

  /** Closes those but the first that have had no call for so long. */
  synchronized void shrink(long idleNanos) {
    Connection[] kept =
        Arrays.stream(connections)
            .filter(each -> each == connections[0] || !each.retire(idleNanos))
            .toArray(Connection[]::new);
    if (kept.length < connections.length) {
      Connection[] before = connections;
      connections = kept;
      Arrays.stream(before)
          .filter(each -> !Arrays.asList(kept).contains(each))
          .forEach(each -> each.channel.shutdown());
    }
  }

  ManagedChannel[] channels() {
    return Arrays.stream(connections).map(Connection::channel).toArray(ManagedChannel[]::new);
  }
}
