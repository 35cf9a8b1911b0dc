package dev.plinth.testkit.linear;

/** What became of a check. */
public sealed interface LinearizabilityResult {
  /** There is an order that explains every answer. */
  record Linearizable(long steps) implements LinearizabilityResult {}

  /** There is none. */
  record NotLinearizable(String picture) implements LinearizabilityResult {}

  /** Not found within the steps allowed: says nothing, and so must not pass for a success. */
  record Undecided(String picture) implements LinearizabilityResult {}
}
