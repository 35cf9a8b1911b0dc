package dev.plinth.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.FaultProxy.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
  private final AtomicInteger bytesSeen = new AtomicInteger();
  private ServerSocket echo;
  private FaultProxy proxy;
  private Socket client;

  @BeforeEach
  void start() throws IOException {
    echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    FaultProxy.daemon("echo", this::serve);
    proxy = FaultProxy.to("127.0.0.1", echo.getLocalPort());
    client = connect();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    proxy.close();
    echo.close();
  }

  @Test
  void healthy_passesBytesBothWays() throws IOException {
    assertEquals(42, ask(client, 42));
    assertEquals(1, proxy.connections());
  }

  @Test
  void delay_holdsEachChunkBack() throws IOException {
    proxy.delay(Duration.ofMillis(50));
    long start = System.nanoTime();
    assertEquals(1, ask(client, 1));
    assertTrue(System.nanoTime() - start >= Duration.ofMillis(100).toNanos());
  }

  @Test
  void cut_resetsOldAndNewConnections_untilHealed() throws IOException {
    assertEquals(1, ask(client, 1));
    proxy.cut();
    assertThrows(IOException.class, () -> ask(client, 2));
    assertThrows(IOException.class, () -> ask(connect(), 3));
    proxy.heal();
    try (Socket again = connect()) {
      assertEquals(4, ask(again, 4));
    }
  }

  @Test
  void halfOpen_takesConnectionsButMovesNothing_thenDelivers() throws IOException {
    proxy.halfOpen();
    assertThrows(SocketTimeoutException.class, () -> ask(client, 1));
    try (Socket another = connect()) {
      assertThrows(SocketTimeoutException.class, () -> ask(another, 2));
    }
    assertEquals(0, bytesSeen.get());
    proxy.heal();
    assertEquals(1, client.getInputStream().read());
  }

  @Test
  void drop_toClient_losesTheAnswerButNotTheRequest() throws IOException {
    proxy.drop(Direction.TO_CLIENT);
    assertThrows(SocketTimeoutException.class, () -> ask(client, 1));
    assertEquals(1, bytesSeen.get());
    proxy.heal();
    assertThrows(IOException.class, () -> ask(client, 2), "a stream with a hole is not mended");
  }

  @Test
  void drop_toServer_losesTheRequest() {
    proxy.drop(Direction.TO_SERVER);
    assertThrows(SocketTimeoutException.class, () -> ask(client, 1));
    assertEquals(0, bytesSeen.get());
  }

  @Test
  void endOfStream_passesThrough() throws IOException {
    ask(client, 1);
    client.shutdownOutput();
    assertEquals(-1, client.getInputStream().read());
    Await.until("the proxy forgets the connection", () -> proxy.connections() == 0);
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(300);
    return socket;
  }

  private static int ask(Socket socket, int value) throws IOException {
    socket.getOutputStream().write(value);
    int answer = socket.getInputStream().read();
    if (answer < 0) {
      throw new IOException("end of stream");
    }
    return answer;
  }

  private void serve() {
    while (!echo.isClosed()) {
      try {
        Socket peer = echo.accept();
        FaultProxy.daemon("echo-one", () -> answer(peer));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void answer(Socket peer) {
    try (peer) {
      for (int b = peer.getInputStream().read(); b >= 0; b = peer.getInputStream().read()) {
        bytesSeen.incrementAndGet();
        peer.getOutputStream().write(b);
      }
    } catch (IOException e) {
      // The test broke the connection.
    }
  }
}
