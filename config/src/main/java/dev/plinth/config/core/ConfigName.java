package dev.plinth.config.core;

/** A config by namespace and name. */
public record ConfigName(String namespace, String config) {
  public String path() {
    return namespace + "/" + config;
  }
}
