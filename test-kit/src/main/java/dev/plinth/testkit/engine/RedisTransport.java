package dev.plinth.testkit.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** How a Redis is spoken to: options that make it listen, and a socket to it, without a driver. */
enum RedisTransport {
  PLAIN {
    @Override
    List<String> options(int port) {
      return List.of("--port", "" + port);
    }

    @Override
    Socket over(Socket connected) {
      return connected;
    }
  },
  TLS {
    @Override
    List<String> options(int port) {
      return RedisTls.options(port);
    }

    @Override
    Socket over(Socket connected) throws IOException {
      return RedisTls.over(connected);
    }
  };

  abstract List<String> options(int port);

  abstract Socket over(Socket connected) throws IOException;

  /** The answer's first line or lines to one command. */
  String ask(InetSocketAddress address, String command) throws IOException {
    try (Socket connected = new Socket()) {
      connected.connect(address, 1_000);
      connected.setSoTimeout(5_000);
      try (Socket socket = over(connected)) {
        socket
            .getOutputStream()
            .write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      }
    }
  }

  boolean pongs(InetSocketAddress address) throws IOException {
    try (Socket connected = new Socket()) {
      connected.connect(address, 1_000);
      connected.setSoTimeout(1_000);
      try (Socket socket = over(connected)) {
        socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] answer = socket.getInputStream().readNBytes(5);
        return new String(answer, StandardCharsets.US_ASCII).equals("+PONG");
      }
    }
  }
}
