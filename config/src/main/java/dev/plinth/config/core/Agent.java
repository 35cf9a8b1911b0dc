package dev.plinth.config.core;

import dev.plinth.shards.Tx;
import java.util.LinkedHashMap;
import java.util.Map;

/** A process that holds configuration, as it last introduced itself. In memory only. */
final class Agent {
  final ConfigNamespace namespace;
  final String name;

  /** What it follows that exists, by group. */
  final Map<String, GroupAgent> groups = new LinkedHashMap<>();

  AgentHello hello;

  /** Null without a stream. */
  AgentLink link;

  /** While it has no stream: when it is forgotten. */
  Tx.Timer forget;

  Tx.Timer bookmark;

  Agent(ConfigNamespace namespace, AgentHello hello) {
    this.namespace = namespace;
    this.name = hello.identity().name();
    this.hello = hello;
  }

  boolean isConnected() {
    return link != null;
  }

  void cancelTimers() {
    if (forget != null) {
      forget.cancel();
      forget = null;
    }
    if (bookmark != null) {
      bookmark.cancel();
      bookmark = null;
    }
  }
}
