package dev.plinth.client.config;

import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.SharedRegistrySession;
import dev.plinth.config.v1.Hello;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What an agent follows, and how. Declare every config before the start. */
public final class ConfigAgentBuilder {
  private static final Duration MAX_STALENESS = Duration.ofMinutes(1);

  final String namespace;
  final ClientRuntime runtime;
  final SharedRegistrySession session;
  final Map<String, ConfigHandle<?>> handles = new LinkedHashMap<>();
  final Map<String, byte[]> bootstrap = new HashMap<>();
  final Map<String, PublicKey> trusted = new HashMap<>();
  final Hello.Builder hello = Hello.newBuilder();
  Optional<Path> cache = Optional.empty();
  Duration maxStaleness = MAX_STALENESS;

  /** For the client itself; applications have {@code PlinthClient.configAgent}. */
  public ConfigAgentBuilder(
      String namespace, ClientRuntime runtime, SharedRegistrySession session) {
    this.namespace = namespace;
    this.runtime = runtime;
    this.session = session;
    hello.setAgent(runtime.owner());
  }

  /**
   * Follows a config.
   *
   * @param decoder also decides whether a content is valid
   */
  public <T> ConfigHandle<T> config(String name, ConfigDecoder<T> decoder) {
    ConfigHandle<T> handle = new ConfigHandle<>(name, handles.size(), decoder);
    if (handles.putIfAbsent(name, handle) != null) {
      throw new IllegalArgumentException("config: " + name + " (expected: each once)");
    }
    hello.addConfigs(name);
    return handle;
  }

  /** Follows a config that is text, whatever it says. */
  public ConfigHandle<String> text(String name) {
    return config(name, content -> new String(content, StandardCharsets.UTF_8));
  }

  /** Names this agent; the client's owner id by default. */
  public ConfigAgentBuilder agent(String name) {
    hello.setAgent(name);
    return this;
  }

  /** What stays the same over restarts, and decides whether a percentage includes this agent. */
  public ConfigAgentBuilder instance(String id) {
    hello.setInstance(id);
    return this;
  }

  /** For stages that go by labels. */
  public ConfigAgentBuilder label(String key, String value) {
    hello.putLabels(key, value);
    return this;
  }

  /** Keeps what was applied last in files of this folder, for the next start. */
  public ConfigAgentBuilder cache(Path directory) {
    cache = Optional.of(directory);
    return this;
  }

  /** For a start without server and cache; anything that ever came from a server wins over it. */
  public ConfigAgentBuilder bootstrap(ConfigHandle<?> config, byte[] content) {
    bootstrap.put(config.name(), content.clone());
    return this;
  }

  /**
   * From the first call on, only content that is signed with one of these keys is applied. Name the
   * old and the new key while one replaces the other.
   *
   * @param key for Ed25519
   */
  public ConfigAgentBuilder trust(String keyId, PublicKey key) {
    trusted.put(keyId, key);
    return this;
  }

  /** When to call configs stale that do not say so themselves; 1 minute by default. */
  public ConfigAgentBuilder maxStaleness(Duration age) {
    maxStaleness = age;
    return this;
  }

  /**
   * Starts with what the cache and the application have, without waiting for the server.
   *
   * @throws IllegalArgumentException if what the application has is not valid
   */
  public ConfigAgent start() {
    if (handles.isEmpty()) {
      throw new IllegalArgumentException("configs: none (expected: one at least)");
    }
    return ConfigAgent.start(this);
  }
}
