package dev.plinth.shards.store.etcd;

import java.util.List;

/** An etcd by its members, each {@code host:port}, and how to use it. */
public record EtcdCluster(List<String> endpoints, EtcdSettings settings) {
  public EtcdCluster {
    endpoints = List.copyOf(endpoints);
    if (endpoints.isEmpty()) {
      throw new IllegalArgumentException("endpoints: none (expected: host:port,...)");
    }
  }
}
