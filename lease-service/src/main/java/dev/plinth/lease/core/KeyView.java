package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/** A key as it was at one moment. */
public record KeyView(List<LeaseView> holders, List<InLine> line, Duration barredFor) {
  static final KeyView FREE = new KeyView(List.of(), List.of(), Duration.ZERO);

  /** One that waits, and what it wants of this key. */
  public record InLine(Acquire wish, Want want, Duration waited) {}
}
