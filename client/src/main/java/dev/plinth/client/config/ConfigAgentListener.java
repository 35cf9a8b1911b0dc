package dev.plinth.client.config;

import java.time.Duration;
import java.util.Set;

/** Hears of an agent as a whole, one call after the other on a thread that may block. */
public interface ConfigAgentListener {
  /** The server has said for the first time that there is nothing newer. */
  default void onReady() {}

  /** These configs have changed. */
  default void onChange(Set<String> configs) {}

  /** The config was rejected; what was there stays. */
  default void onRejected(String config, String why) {}

  /** The server has not been heard of for so long that what is here may be old. */
  default void onStale(Duration age) {}

  /** It is heard of again. */
  default void onFresh() {}

  /** The server refuses this agent; it goes on asking. */
  default void onRefused(String why) {}
}
