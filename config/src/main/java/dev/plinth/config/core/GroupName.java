package dev.plinth.config.core;

/** A group of configs by namespace and name. */
public record GroupName(String namespace, String group) {
  public String path() {
    return namespace + "/" + group;
  }
}
