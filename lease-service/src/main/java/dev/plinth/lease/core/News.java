package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/** What those who listen hear of a wish, a hold or a session. */
public sealed interface News {
  /** Still in line; 1 is first. */
  record Queued(int position, List<LeaseView> holders) implements News {}

  /** Time runs short and no renewal has come. */
  record Jeopardy(Duration left) implements News {}

  /** Renewed after all. */
  record Safe() implements News {}

  /** An operator wants the hold back. */
  record Asked(LeaseView lease) implements News {}

  /** It ended; the last news. */
  record Lost(End end) implements News {}
}
