package dev.plinth.ratelimit.store;

/**
 * What one check takes of one budget.
 *
 * @param always whether it is charged for checks that are denied, too, as far as numbers stay
 *     exact; the budget then is in debt. The decision is the same.
 */
public record Charge(Budget budget, long cost, boolean always) {
  /** The most that one descriptor of Envoy may. */
  public static final long MAX_HITS = 0xffff_ffffL;

  public Charge(Budget budget, long cost) {
    this(budget, cost, false);
  }

  /** The same, of another budget. */
  public Charge of(Budget other) {
    return new Charge(other, cost, always);
  }
}
