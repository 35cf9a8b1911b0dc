package dev.plinth.ratelimit.core;

/** What one check takes of one budget. */
public record Charge(Budget budget, long cost) {
  /** The most that one check may cost. */
  public static final long MOST = 1_000_000_000;
}
