package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where Redis is: one server, the primary that sentinels name, or a cluster. With {@code rediss}
 * for {@code redis} all connections are encrypted, those to sentinels too.
 *
 * @param hosts of the server, of the sentinels, or of some of the cluster's nodes
 * @param primary as the sentinels call it; empty without them
 */
public record RedisAddress(Kind kind, boolean tls, List<Host> hosts, int database, String primary) {
  public static final String FORMS =
      "redis://host:port[/database], redis-sentinel://host:port[,host:port...][/database]#primary"
          + " or redis-cluster://host:port[,host:port...], with rediss for TLS";

  private static final String HOST = "[A-Za-z0-9._-]+:\\d{1,5}";
  private static final Pattern ADDRESS =
      Pattern.compile(
          "redis(s?)(-sentinel|-cluster|)://(%s(?:,%s)*)(?:/(\\d{1,3}))?(?:#([A-Za-z0-9._-]+))?"
              .formatted(HOST, HOST));

  /** What answers at the hosts. */
  public enum Kind {
    SERVER,
    SENTINEL,
    CLUSTER
  }

  record Host(String name, int port) {
    static Host parse(String text) {
      int colon = text.lastIndexOf(':');
      return new Host(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
      return name + ":" + port;
    }
  }

  /** Empty if it is none of {@link #FORMS}. */
  public static Optional<RedisAddress> parse(String text) {
    Matcher parts = ADDRESS.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    Kind kind =
        switch (parts.group(2)) {
          case "-sentinel" -> Kind.SENTINEL;
          case "-cluster" -> Kind.CLUSTER;
          default -> Kind.SERVER;
        };
    List<Host> hosts = new ArrayList<>();
    for (String host : parts.group(3).split(",")) {
      hosts.add(Host.parse(host));
    }
    boolean named = parts.group(5) != null;
    boolean fits =
        named == (kind == Kind.SENTINEL)
            && (kind != Kind.SERVER || hosts.size() == 1)
            && (kind != Kind.CLUSTER || parts.group(4) == null);
    return fits
        ? Optional.of(
            new RedisAddress(
                kind,
                !parts.group(1).isEmpty(),
                List.copyOf(hosts),
                parts.group(4) == null ? 0 : Integer.parseInt(parts.group(4)),
                named ? parts.group(5) : ""))
        : Optional.empty();
  }

  /** Of a server, or of the primary that sentinels name. */
  RedisURI uri(Duration timeout, Optional<RedisCredentialsProvider> credentials) {
    if (kind != Kind.SENTINEL) {
      return uri(hosts.get(0), timeout, credentials);
    }
    RedisURI.Builder builder =
        RedisURI.Builder.sentinel(hosts.get(0).name, hosts.get(0).port, primary);
    hosts.stream().skip(1).forEach(host -> builder.withSentinel(host.name, host.port));
    RedisURI uri = builder.withDatabase(database).withSsl(tls).withTimeout(timeout).build();
    credentials.ifPresent(uri::setCredentialsProvider);
    for (RedisURI sentinel : uri.getSentinels()) {
      sentinel.setSsl(tls);
      sentinel.setTimeout(timeout);
    }
    return uri;
  }

  /** Of one of the nodes of a cluster. */
  RedisURI uri(Host host, Duration timeout, Optional<RedisCredentialsProvider> credentials) {
    RedisURI uri =
        RedisURI.builder()
            .withHost(host.name)
            .withPort(host.port)
            .withDatabase(database)
            .withSsl(tls)
            .withTimeout(timeout)
            .build();
    credentials.ifPresent(uri::setCredentialsProvider);
    return uri;
  }

  /** For people; without any secret. */
  @Override
  public String toString() {
    String all = String.join(",", hosts.stream().map(Host::toString).toList());
    return switch (kind) {
      case SERVER -> all;
      case SENTINEL -> primary + " of sentinels " + all;
      case CLUSTER -> "cluster " + all;
    };
  }
}
