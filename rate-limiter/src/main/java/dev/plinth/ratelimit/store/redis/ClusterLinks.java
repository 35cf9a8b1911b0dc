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
 * at one node. Who has which slots is asked once a second, each time of another node, and at once
 * when Redis says that a slot has moved. A node that refuses, knows of no slots or sees only a
 * minority of the primaries is not believed as long as another one answers.
 */
final class ClusterLinks implements Connections {
  private static final Logger log = System.getLogger("plinth.redis");
  private static final long REFRESH_MILLIS = 1_000;

  private final RedisDriver driver;
  private final RedisAddress address;
  private final Optional<RedisCredentialsProvider> credentials;
  private final int connections;
  private final Map<String, Links> nodes = new ConcurrentHashMap<>();
  private final AtomicBoolean refreshDue = new AtomicBoolean();
  private int turn; // on the scheduler's thread alone
  private volatile ClusterTopology topology;
  private volatile String refused = "not asked yet";
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
    ClusterTopology known = topology;
    String owner = known == null ? null : known.owner(domain);
    Links links = owner == null ? null : nodes.get(owner);
    return links == null ? Optional.empty() : links.pick();
  }

  @Override
  public Optional<Link.Up> pickMoved(Link.Up by, String hostPort) {
    if (closed) {
      return Optional.empty();
    }
    refreshSoon();
    return links(ClusterTopology.resolve(hostPort, by.location())).pick();
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

  /** One pass: the nodes are asked one after the other until one of them can tell. */
  private void refresh() {
    refreshDue.set(false);
    List<Links> asked = new ArrayList<>(nodes.values());
    Collections.rotate(asked, turn++);
    ask(asked.iterator(), null);
  }

  /**
   * @param doubtful told by a node that is not sure of it; null if there was none
   */
  private void ask(Iterator<Links> next, ClusterTopology doubtful) {
    while (next.hasNext()) {
      Links links = next.next();
      Optional<Link.Up> up = links.pick();
      if (up.isPresent() && links.trouble().isEmpty()) {
        ask(up.get(), next, doubtful);
        return;
      }
    }
    if (doubtful != null) {
      apply(doubtful);
    }
  }

  private void ask(Link.Up node, Iterator<Links> next, ClusterTopology doubtful) {
    RedisAsyncCommands<byte[], byte[]> commands = node.connection().async();
    commands
        .clusterInfo()
        .thenCombine(
            commands.clusterSlots(),
            (info, slots) -> {
              ClusterTopology told = ClusterTopology.parse(slots, node.location());
              if (told.isEmpty()) {
                refused = node.location() + ": it knows of no slots";
                ask(next, doubtful);
              } else if (info.contains("cluster_state:ok")) {
                apply(told);
              } else {
                ask(next, doubtful == null ? told : doubtful);
              }
              return told;
            })
        .exceptionally(
            failure -> {
              refused = node.location() + ": " + Failing.reason(failure);
              ask(next, doubtful);
              return null;
            });
  }

  private synchronized void apply(ClusterTopology told) {
    if (closed) {
      return;
    }
    told.primaries().forEach(this::links);
    if (topology == null) {
      log.log(Level.INFO, "Redis cluster: primaries {0}", told.primaries());
    }
    topology = told;
    List<String> seeds = address.hosts().stream().map(RedisAddress.Host::toString).toList();
    nodes
        .entrySet()
        .removeIf(
            node -> {
              boolean gone =
                  !told.primaries().contains(node.getKey()) && !seeds.contains(node.getKey());
              if (gone) {
                node.getValue().close();
              }
              return gone;
            });
  }

  @Override
  public Optional<String> trouble() {
    ClusterTopology known = topology;
    if (known == null) {
      return Optional.of(
          "no node has told who has which slots: "
              + nodes.values().stream()
                  .map(Links::trouble)
                  .flatMap(Optional::stream)
                  .findFirst()
                  .orElse(refused));
    }
    for (String primary : known.primaries()) {
      Links links = nodes.get(primary);
      Optional<String> trouble = links == null ? Optional.of("not known") : links.trouble();
      if (trouble.isPresent()) {
        return trouble.map(why -> primary + ": " + why);
      }
    }
    return known.isComplete() ? Optional.empty() : Optional.of("a slot has no node");
  }

  @Override
  public void close() {
    closed = true;
    nodes.values().forEach(Links::close);
  }
}
