package dev.plinth.standalone;

import dev.plinth.server.settings.InvalidSettingException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Where other nodes reach this one. */
final class AdvertisedAddress {
  private static final Pattern ADDRESS =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):\\d{1,5}");
  private static final Set<String> ANY = Set.of("0.0.0.0", "::", "[::]");

  private AdvertisedAddress() {}

  /** Refuses by the name of the setting. */
  static void check(Optional<String> advertise) {
    advertise
        .filter(address -> !ADDRESS.matcher(address).matches())
        .ifPresent(
            address -> {
              throw new InvalidSettingException("advertise", address, "host:port");
            });
  }

  static String address(PlinthSettings settings, int port) {
    return settings.node().advertise().orElseGet(() -> host(settings.host().bind()) + ":" + port);
  }

  private static String host(String bind) {
    String host = ANY.contains(bind) ? hostName() : bind;
    return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
  }

  static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
