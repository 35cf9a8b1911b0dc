package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The connections to the primaries of a cluster. A domain's keys have one hash tag, so they are all
 * at one node. The owners of slots are queried once a second, each time from another node, and at
 * once when Redis says that a slot has moved. A node that refuses, knows of no slots or sees only a
 * minority of the primaries is ignored as long as another one answers.
 */
final class ClusterConnections implements RedisConnections {
  private static final Logger log = System.getLogger("plinth.redis");
  private static final long REFRESH_MILLIS = 1_000;

  private final RedisDriver driver;
  private final RedisAddress address;
  private final Optional<RedisCredentialsProvider> credentials;
  private final int connections;
  private final Map<String, ServerConnections> nodes = new ConcurrentHashMap<>();
  private final AtomicBoolean refreshDue = new AtomicBoolean();
  private int rotation; // on the scheduler's thread alone
  private volatile ClusterTopology topology;
  private volatile String refused = "not asked yet";
  private volatile boolean closed;

  ClusterConnections(
      RedisDriver driver,
      RedisAddress address,
      Optional<RedisCredentialsProvider> credentials,
      int connections) {
    this.driver = driver;
    this.address = address;
    this.credentials = credentials;
    this.connections = connections;
    address.hosts().forEach(host -> connections(host.toString()));
    driver
        .scheduler()
        .scheduleWithFixedDelay(this::refresh, 20, REFRESH_MILLIS, TimeUnit.MILLISECONDS);
  }

  private ServerConnections connections(String hostPort) {
    return nodes.computeIfAbsent(
        hostPort,
        at ->
            new ServerConnections(
                driver,
                address.uri(RedisAddress.Host.parse(at), RedisDriver.HELLO, credentials),
                at,
                connections));
  }

  @Override
  public Optional<ReconnectingConnection.LiveConnection> pick(String domain) {
    ClusterTopology known = topology;
    String owner = known == null ? null : known.owner(domain);
    ServerConnections connections = owner == null ? null : nodes.get(owner);
    return connections == null ? Optional.empty() : connections.pick();
  }

  @Override
  public Optional<ReconnectingConnection.LiveConnection> pickMoved(
      ReconnectingConnection.LiveConnection by, String hostPort) {
    if (closed) {
      return Optional.empty();
    }
    refreshSoon();
    return connections(ClusterTopology.resolve(hostPort, by.location())).pick();
  }

  /** Once for however many commands have met a slot that moved. */
  private void refreshSoon() {
    if (refreshDue.compareAndSet(false, true)) {
      try {
        driver.scheduler().execute(this::refresh);
      } catch (RejectedExecutionException e) {
        // Closed meanwhile.
      }
    }
  }

  /** One pass: the nodes are queried one after the other until one of them knows. */
  private void refresh() {
    refreshDue.set(false);
    List<ServerConnections> candidates = new ArrayList<>(nodes.values());
    Collections.rotate(candidates, rotation++);
    query(candidates.iterator(), null);
  }

  /**
   * @param doubtful reported by a node that is not sure of it; null if there was none
   */
  private void query(Iterator<ServerConnections> next, ClusterTopology doubtful) {
    while (next.hasNext()) {
      ServerConnections connections = next.next();
      Optional<ReconnectingConnection.LiveConnection> up = connections.pick();
      if (up.isPresent() && connections.unavailableReason().isEmpty()) {
        query(up.get(), next, doubtful);
        return;
      }
    }
    if (doubtful != null) {
      apply(doubtful);
    }
  }

  private void query(
      ReconnectingConnection.LiveConnection node,
      Iterator<ServerConnections> next,
      ClusterTopology doubtful) {
    RedisAsyncCommands<byte[], byte[]> commands = node.connection().async();
    commands
        .clusterInfo()
        .thenCombine(
            commands.clusterSlots(),
            (info, slots) -> {
              ClusterTopology reported = ClusterTopology.parse(slots, node.location());
              if (reported.isEmpty()) {
                refused = node.location() + ": it knows of no slots";
                query(next, doubtful);
              } else if (info.contains("cluster_state:ok")) {
                apply(reported);
              } else {
                query(next, doubtful == null ? reported : doubtful);
              }
              return reported;
            })
        .exceptionally(
            failure -> {
              refused = node.location() + ": " + RedisFailures.reason(failure);
              query(next, doubtful);
              return null;
            });
  }

  private synchronized void apply(ClusterTopology reported) {
    if (closed) {
      return;
    }
    reported.primaries().forEach(this::connections);
    if (topology == null) {
      log.log(Level.INFO, "Redis cluster: primaries {0}", reported.primaries());
    }
    topology = reported;
    List<String> seeds = address.hosts().stream().map(RedisAddress.Host::toString).toList();
    nodes
        .entrySet()
        .removeIf(
            node -> {
              boolean gone =
                  !reported.primaries().contains(node.getKey()) && !seeds.contains(node.getKey());
              if (gone) {
                node.getValue().close();
              }
              return gone;
            });
  }

  @Override
  public Optional<String> unavailableReason() {
    ClusterTopology known = topology;
    if (known == null) {
      return Optional.of(
          "no node has told who has which slots: "
              + nodes.values().stream()
                  .map(ServerConnections::unavailableReason)
                  .flatMap(Optional::stream)
                  .findFirst()
                  .orElse(refused));
    }
    for (String primary : known.primaries()) {
      ServerConnections connections = nodes.get(primary);
      Optional<String> unavailableReason =
          connections == null ? Optional.of("not known") : connections.unavailableReason();
      if (unavailableReason.isPresent()) {
        return unavailableReason.map(why -> primary + ": " + why);
      }
    }
    return known.isComplete() ? Optional.empty() : Optional.of("a slot has no node");
  }

  @Override
  public void close() {
    closed = true;
    nodes.values().forEach(ServerConnections::close);
  }
}
