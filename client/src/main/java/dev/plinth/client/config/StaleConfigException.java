package dev.plinth.client.config;

import java.time.Duration;

/** A config that must not be old may be. */
public final class StaleConfigException extends RuntimeException {
  private static final long serialVersionUID = 1;

  StaleConfigException(String config, Duration age) {
    super("config " + config + " was last confirmed " + age + " ago (expected: a live value)");
  }
}
