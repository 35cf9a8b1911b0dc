package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/** What those who listen hear of a wish, a hold or a session. */
public sealed interface HoldEvent {
  /** Still in line; 1 is first. Of the holders only the first are told, with how many there are. */
  record Queued(int position, List<LeaseView> holders, int holderCount) implements HoldEvent {}

  /** Time runs short and no renewal has come. */
  record Jeopardy(Duration left) implements HoldEvent {}

  /** Renewed after all. */
  record Safe() implements HoldEvent {}

  /** An operator wants the hold back. */
  record Asked(LeaseView lease) implements HoldEvent {}

  /** It ended; the last news. */
  record Lost(HoldEnd holdEnd) implements HoldEvent {}
}
