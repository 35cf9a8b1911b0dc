package dev.plinth.config.core;

import dev.plinth.registry.core.LabelFilter;
import java.util.List;
import java.util.Optional;

/**
 * A page of agents.
 *
 * @param next the last agent that was looked at; empty on the last page
 */
public record AgentPage(List<AgentView> agents, Optional<String> next) {
  /**
   * What is asked for.
   *
   * @param after the last agent of the page before; empty on the first
   */
  public record Request(
      GroupName group,
      Optional<AgentProgress> progress,
      Optional<Long> generationBelow,
      List<LabelFilter> filters,
      String after,
      int size) {
    boolean fits(AgentView agent) {
      return (progress.isEmpty() || progress.get() == agent.progress())
          && (generationBelow.isEmpty() || agent.runs().generation() < generationBelow.get())
          && LabelFilter.all(filters, agent.identity().labels());
    }
  }
}
