package dev.plinth.shards.store.etcd;

import static dev.plinth.server.settings.InvalidSettingException.unlessBetween;

import dev.plinth.server.settings.ByteSize;
import dev.plinth.server.settings.InvalidSettingException;
import dev.plinth.server.settings.Setting;
import java.time.Duration;

/** How a node uses etcd. */
public record EtcdSettings(
    @Setting(
            meaning = "Prefix of every key, so that several platforms can share an etcd",
            byDefault = "/plinth/")
        String prefix,
    @Setting(
            meaning = "How long the shards of a node that vanished stay its own; whole seconds",
            byDefault = "2s")
        Duration sessionTtl,
    @Setting(
            meaning =
                "How long before its shards may be another's a node without word from etcd falls"
                    + " silent; at most half of session-ttl",
            byDefault = "200ms")
        Duration authorityMargin,
    @Setting(
            meaning = "Longest wait for an answer; then the question is asked again",
            byDefault = "2s")
        Duration requestTimeout,
    @Setting(
            meaning =
                "Commits of one shard under way at once, and requests that carry commits;"
                    + " a second leaves only when full; with more, they overtake each other",
            byDefault = "2")
        int commitsInFlight,
    @Setting(
            meaning = "Time between compactions of etcd's whole history; 0s leaves it to others",
            byDefault = "10s")
        Duration compactionInterval,
    @Setting(
            meaning = "etcd's --quota-backend-bytes, which etcd does not tell; only for metrics",
            byDefault = "2GiB")
        ByteSize quota) {

  private static final ByteSize LEAST_QUOTA = new ByteSize(1 << 20);
  private static final ByteSize MOST_QUOTA = new ByteSize(1L << 40);

  public EtcdSettings {
    if (!prefix.endsWith("/")) {
      throw new InvalidSettingException("prefix", prefix, "a text that ends in /");
    }
    unlessBetween("sessionTtl", sessionTtl, Duration.ofSeconds(2), Duration.ofMinutes(10));
    if (sessionTtl.toMillis() % 1000 != 0) {
      throw new InvalidSettingException("sessionTtl", sessionTtl, "whole seconds");
    }
    unlessBetween(
        "authorityMargin", authorityMargin, Duration.ofMillis(100), sessionTtl.dividedBy(2));
    unlessBetween("requestTimeout", requestTimeout, Duration.ofMillis(50), sessionTtl);
    unlessBetween("commitsInFlight", commitsInFlight, 1, 64);
    if (!compactionInterval.isZero()) {
      unlessBetween(
          "compactionInterval", compactionInterval, Duration.ofSeconds(1), Duration.ofDays(1));
    }
    unlessBetween("quota", quota, LEAST_QUOTA, MOST_QUOTA);
  }

  /** Several renewals fit into a session, over other members too. */
  Duration renewalTimeout() {
    Duration quarter = sessionTtl.dividedBy(4);
    return quarter.compareTo(requestTimeout) < 0 ? quarter : requestTimeout;
  }
}
