package dev.plinth.client.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.random.RandomGenerator;

/** A name for this process that a person can follow to it. */
public final class OwnerId {
  private static final int MAX_HOST = 60;

  private OwnerId() {}

  /** With a random part: process ids repeat, in containers above all. */
  public static String ofThisProcess(RandomGenerator random) {
    return "%s-%d-%08x".formatted(host(), ProcessHandle.current().pid(), random.nextInt());
  }

  private static String host() {
    try {
      String name = InetAddress.getLocalHost().getHostName();
      return name.substring(0, Math.min(name.length(), MAX_HOST));
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
