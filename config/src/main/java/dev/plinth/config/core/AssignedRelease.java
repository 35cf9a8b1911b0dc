package dev.plinth.config.core;

import java.util.List;

/** A release of a group as one agent is to have it. */
public record AssignedRelease(String group, ReleaseOrder order, List<AssignedConfig> configs) {
  public AssignedRelease {
    configs = List.copyOf(configs);
  }

  /**
   * One of its configs.
   *
   * @param held the agent has the content
   */
  public record AssignedConfig(String config, Revision revision, boolean held) {}
}
