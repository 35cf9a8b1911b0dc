package dev.plinth.lease.core;

import java.time.Duration;
import java.util.List;

/**
 * Who waited for a key at one moment.
 *
 * @param line the first of them, next in line first
 * @param total how many wait in all
 */
public record WaitersView(List<InLine> line, int total) {
  static final WaitersView NONE = new WaitersView(List.of(), 0);

  /** One that waits, and what it wants of this key. */
  public record InLine(AcquireSpec spec, KeyRequest keyRequest, Duration waited) {}
}
