package dev.plinth.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy on loopback that a test puts between a client and a server, or between a server and
 * its engine, to make the network fail in a chosen way until {@link #heal}.
 */
public final class FaultProxy implements AutoCloseable {
  /** Which way bytes flow. */
  public enum Direction {
    TO_SERVER,
    TO_CLIENT
  }

  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
  private final Faults faults = new Faults();

  private FaultProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon("accept", this::accept);
  }

  public static FaultProxy to(String host, int port) {
    try {
      return new FaultProxy(new InetSocketAddress(host, port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** {@code host:port} of the proxy. */
  public String address() {
    return "127.0.0.1:" + port();
  }

  /** Each chunk of bytes waits this long before it goes on, in both directions. */
  public void delay(Duration by) {
    faults.delay(by);
  }

  /** Resets every connection, and every new one at once, as when the peer's machine refuses. */
  public void cut() {
    faults.cut(true);
    connections.forEach(ProxiedConnection::reset);
  }

  /** Connections stay open and new ones are taken, but not a byte moves: a peer that vanished. */
  public void halfOpen() {
    faults.hold(Direction.TO_SERVER, Direction.TO_CLIENT);
  }

  /**
   * Bytes of one direction are lost. A connection that lost any is reset when the network heals.
   */
  public void drop(Direction direction) {
    faults.drop(direction);
  }

  /** The network works again; bytes held back go on their way. */
  public void heal() {
    faults.heal();
    connections.stream().filter(ProxiedConnection::lostBytes).forEach(ProxiedConnection::reset);
  }

  /** How many connections are open through the proxy. */
  public int connections() {
    return connections.size();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (faults.isCut()) {
          ProxiedConnection.reset(client);
        } else {
          connect(client);
        }
      } catch (IOException e) {
        // Closed, or one connection less; the next one may do better.
      }
    }
  }

  private void connect(Socket client) {
    try {
      Socket server = new Socket(target.getAddress(), target.getPort());
      ProxiedConnection connection =
          new ProxiedConnection(client, server, faults, connections::remove);
      connections.add(connection);
      connection.start();
    } catch (IOException e) {
      ProxiedConnection.reset(client);
    }
  }

  static void daemon(String what, Runnable task) {
    Thread thread = new Thread(task, "fault-proxy-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    faults.heal();
    connections.forEach(ProxiedConnection::reset);
  }
}
