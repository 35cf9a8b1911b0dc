package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.cluster.SlotHash;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The connections to the primaries of a cluster. A domain's keys have one hash tag, so they are all
 * at one node. Who has which slots is asked of any node once a second, and at once when Redis says
 * that a slot has moved.
 */
final class ClusterLinks implements Connections {
  private static final Logger log = System.getLogger("plinth.redis");
  private static final long REFRESH_MILLIS = 1_000;

  private final RedisDriver driver;
  private final RedisAddress address;
  private final Optional<RedisCredentialsProvider> credentials;
  private final int connections;
  private final Map<String, Links> nodes = new ConcurrentHashMap<>();
  private volatile String[] owners; // host:port of each slot, null of one that nobody has
  private volatile boolean closed;

  ClusterLinks(
      RedisDriver driver,
      RedisAddress address,
      Optional<RedisCredentialsProvider> credentials,
      int connections) {
    this.driver = driver;
    this.address = address;
    this.credentials = credentials;
    this.connections = connections;
    address.hosts().forEach(host -> links(host.toString()));
    driver
        .scheduler()
        .scheduleWithFixedDelay(this::refresh, 20, REFRESH_MILLIS, TimeUnit.MILLISECONDS);
  }

  private Links links(String hostPort) {
    return nodes.computeIfAbsent(
        hostPort,
        at ->
            new Links(
                driver,
                address.uri(RedisAddress.Host.parse(at), RedisDriver.HELLO, credentials),
                at,
                connections));
  }

  @Override
  public Optional<Link.Up> pick(String domain) {
    String[] known = owners;
    String owner =
        known == null
            ? null
            : known[SlotHash.getSlot(domain.getBytes(StandardCharsets.UTF_8))]; // as of its tag
    Links links = owner == null ? null : nodes.get(owner);
    return links == null ? Optional.empty() : links.pick();
  }

  @Override
  public Optional<Link.Up> pickMoved(String hostPort) {
    driver.scheduler().execute(this::refresh);
    return closed ? Optional.empty() : links(hostPort).pick();
  }

  /** One pass: asks any node that answers. */
  private void refresh() {
    for (Links links : nodes.values()) {
      Optional<Link.Up> up = links.pick();
      if (up.isPresent() && links.trouble().isEmpty()) {
        up.get().connection().async().clusterSlots().thenAccept(this::told);
        return;
      }
    }
  }

  private synchronized void told(List<Object> slots) {
    String[] next = new String[SlotHash.SLOT_COUNT];
    Set<String> primaries = new HashSet<>();
    for (Object each : slots) {
      List<?> range = (List<?>) each;
      List<?> primary = (List<?>) range.get(2);
      String hostPort = text(primary.get(0)) + ":" + primary.get(1);
      primaries.add(hostPort);
      for (long slot = (Long) range.get(0); slot <= (Long) range.get(1); slot++) {
        next[(int) slot] = hostPort;
      }
    }
    if (closed || primaries.isEmpty()) {
      return; // a node that knows of no other
    }
    primaries.forEach(this::links);
    if (owners == null) {
      log.log(Level.INFO, "Redis cluster: primaries {0}", primaries);
    }
    owners = next;
    Set<String> seeds =
        new HashSet<>(address.hosts().stream().map(RedisAddress.Host::toString).toList());
    nodes
        .entrySet()
        .removeIf(
            node -> {
              boolean gone = !primaries.contains(node.getKey()) && !seeds.contains(node.getKey());
              if (gone) {
                node.getValue().close();
              }
              return gone;
            });
  }

  private static String text(Object value) {
    return value instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : String.valueOf(value);
  }

  @Override
  public Optional<String> trouble() {
    String[] known = owners;
    if (known == null) {
      return Optional.of(
          "no node has told who has which slots: "
              + nodes.values().stream()
                  .map(Links::trouble)
                  .flatMap(Optional::stream)
                  .findFirst()
                  .orElse("not asked yet"));
    }
    for (String owner : Set.of(distinct(known))) {
      Links links = owner == null ? null : nodes.get(owner);
      Optional<String> trouble =
          links == null ? Optional.of("a slot has no node") : links.trouble();
      if (trouble.isPresent()) {
        return trouble.map(why -> owner + ": " + why);
      }
    }
    return Optional.empty();
  }

  private static String[] distinct(String[] owners) {
    return java.util.Arrays.stream(owners)
        .map(owner -> owner == null ? "nobody" : owner)
        .distinct()
        .toArray(String[]::new);
  }

  @Override
  public void close() {
    closed = true;
    nodes.values().forEach(Links::close);
  }
}
