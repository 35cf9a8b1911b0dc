package dev.plinth.client.config;

import dev.plinth.client.internal.ClientRuntime;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Keeps configs in memory as the server assigns them to this process, until it is closed. What the
 * server sent wins over the cache, and the cache over what is built in. Order is by epoch and
 * generation: what is older than what is here is ignored, wherever it comes from.
 *
 * <p>A content whose hash or signature is wrong, which its decoder does not take, or which a
 * listener rejects, is not used; what was there stays, and the server is told.
 */
public final class ConfigAgent implements AutoCloseable {
  private static final Logger log = System.getLogger("plinth.client");

  private final ClientRuntime runtime;
  private final ConfigTable table;
  private final ConfigFreshness freshness;
  private final ConfigSync sync;
  private final int ignoredCacheGroups;

  private ConfigAgent(
      ClientRuntime runtime,
      ConfigTable table,
      ConfigFreshness freshness,
      ConfigSync sync,
      int ignoredCacheGroups) {
    this.runtime = runtime;
    this.table = table;
    this.freshness = freshness;
    this.sync = sync;
    this.ignoredCacheGroups = ignoredCacheGroups;
  }

  static ConfigAgent start(ConfigAgentBuilder builder) {
    ClientRuntime runtime = builder.runtime;
    ConfigTable table = new ConfigTable(builder.handles.size());
    ContentVerifier verifier = new ContentVerifier(builder.namespace, builder.trusted);
    ConfigApplier applier = new ConfigApplier(Map.copyOf(builder.handles), table, verifier);
    ConfigFreshness freshness = new ConfigFreshness(runtime.environment(), builder.maxStaleness);
    BootstrapConfigs.decode(builder.bootstrap, builder.handles, table);
    ConfigSync sync = new ConfigSync(builder, applier, freshness);
    int ignored = builder.cache.map(folder -> load(builder, sync)).orElse(0);
    builder.handles.values().forEach(handle -> handle.bind(table));
    ConfigAgent agent = new ConfigAgent(runtime, table, freshness, sync, ignored);
    runtime.attach(agent);
    sync.open();
    return agent;
  }

  private static int load(ConfigAgentBuilder builder, ConfigSync sync) {
    ConfigCache cache = new ConfigCache(builder.cache.orElseThrow(), builder.namespace);
    ConfigCache.Loaded loaded = cache.load();
    int ignored = loaded.damaged();
    for (ConfigGroup group : loaded.groups()) {
      try {
        sync.restore(group);
      } catch (ConfigRejectedException e) {
        ignored++;
        log.log(Level.WARNING, "the cached config {0} is ignored: {1}", e.config(), e.getMessage());
      }
    }
    sync.cacheIn(cache);
    return ignored;
  }

  /** Waits until the server has said that there is nothing newer; false if that took longer. */
  public boolean awaitReady(Duration atMost) throws InterruptedException {
    try {
      runtime.machine().await(sync.ready(), atMost);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("it only ever ends well", e);
    }
  }

  /** All configs at one moment; those of an atomic group are of one generation. */
  public ConfigSnapshot snapshot() {
    return new ConfigSnapshot(table.values());
  }

  /** Whether a config may be older than it says it should ever be. */
  public boolean isStale(ConfigHandle<?> config) {
    return freshness.isStale(config.name());
  }

  /**
   * The value of a config that must not be used when it may be old.
   *
   * @throws StaleConfigException if it is stale, or none ever came from a server
   */
  public <T> T requireFresh(ConfigHandle<T> config) {
    T value = config.get();
    boolean live = config.current().orElseThrow().source() == ConfigSource.LIVE;
    if (!live || isStale(config)) {
      throw new StaleConfigException(config.name(), freshness.age());
    }
    return value;
  }

  public ConfigAgentStatus status() {
    return new ConfigAgentStatus(
        sync.ready().isDone(),
        freshness.age(),
        freshness.isStale(),
        sync.outOfOrder(),
        ignoredCacheGroups,
        sync.rejections());
  }

  /** From now on. */
  public void listen(ConfigAgentListener listener) {
    sync.listen(listener);
  }

  /** Nothing changes any more; what is here can still be read. */
  @Override
  public void close() {
    runtime.detach(this);
    sync.close();
  }
}
