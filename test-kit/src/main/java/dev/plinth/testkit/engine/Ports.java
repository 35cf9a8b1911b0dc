package dev.plinth.testkit.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports below those that Linux hands to outgoing connections (32768 and up). From among those
 * a client that keeps dialling a dead server ends up, once in a while, connected to itself, and the
 * restart finds its port taken.
 */
public final class Ports {
  private static final int LOWEST = 10_000;
  private static final int END = 32_768;

  private Ports() {}

  static InetSocketAddress local(int port) {
    return new InetSocketAddress("127.0.0.1", port);
  }

  /** Different ports that were free a moment ago. */
  public static int[] free(int count) {
    return ThreadLocalRandom.current()
        .ints(LOWEST, END)
        .distinct()
        .filter(Ports::isFree)
        .limit(count)
        .toArray();
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, local(port).getAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
