package dev.plinth.testkit;

import dev.plinth.testkit.FaultProxy.Direction;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.function.Consumer;

/** One client's connection and its twin to the server. */
final class ProxiedConnection {
  private final Socket client;
  private final Socket server;
  private final Faults faults;
  private final Consumer<ProxiedConnection> onEnd;
  private volatile boolean lostBytes;

  ProxiedConnection(
      Socket client, Socket server, Faults faults, Consumer<ProxiedConnection> onEnd) {
    this.client = client;
    this.server = server;
    this.faults = faults;
    this.onEnd = onEnd;
  }

  void start() {
    FaultProxy.daemon("to-server", () -> pump(client, server, Direction.TO_SERVER));
    FaultProxy.daemon("to-client", () -> pump(server, client, Direction.TO_CLIENT));
  }

  boolean lostBytes() {
    return lostBytes;
  }

  void reset() {
    reset(client);
    reset(server);
    onEnd.accept(this);
  }

  /** With no linger, close sends RST: the peer sees a failure, not an end of stream. */
  static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // Closed already, which is what was wanted.
    }
  }

  private void pump(Socket from, Socket to, Direction direction) {
    byte[] chunk = new byte[64 * 1024];
    boolean torn = false;
    try {
      from.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        // What comes after a gap would be taken for something else.
        torn |= !faults.pass(direction);
        if (torn) {
          lostBytes = true;
        } else {
          out.write(chunk, 0, n);
        }
      }
      faults.pass(direction);
      to.shutdownOutput();
      endIfBothDone();
    } catch (IOException e) {
      reset();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  private void endIfBothDone() throws IOException {
    if (client.isOutputShutdown() && server.isOutputShutdown()) {
      client.close();
      server.close();
      onEnd.accept(this);
    }
  }
}
