package dev.plinth.config.core;

import dev.plinth.registry.core.LabelFilter;
import java.util.List;

/** Whom a stage of a rollout is for. */
public sealed interface StageTarget {
  /** Of so many parts are percentages: a hundredth of a percent each. */
  int BUCKETS = 10_000;

  /**
   * Agents whose bucket is below a number.
   *
   * @param buckets 1 to {@link #BUCKETS}
   */
  record Percent(int buckets) implements StageTarget {}

  /** Agents whose labels fit. */
  record Labels(List<LabelFilter> filters) implements StageTarget {
    public Labels {
      filters = List.copyOf(filters);
    }
  }

  /** So many agents, which are written down. */
  record Count(int agents) implements StageTarget {}
}
