package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Outcome;

/**
 * The outcome of a request that is to have its effect once.
 *
 * @param until it is remembered
 */
record RequestOutcomeRow(String fingerprint, Outcome outcome, long until) implements BudgetRow {
  @Override
  public boolean isExpired(long now) {
    return now >= until;
  }

  @Override
  public int bytes() {
    return 2 * fingerprint.length() + Outcome.Standing.BYTES * outcome.standings().size();
  }

  @Override
  public String text() {
    return "v1 " + until + "\n" + OutcomeText.of(outcome) + "\n" + fingerprint;
  }

  static RequestOutcomeRow parse(String text) {
    String[] lines = text.split("\n", 3);
    if (lines.length < 3) {
      throw new IllegalArgumentException(lines.length + " lines (expected: 3)");
    }
    RowTextReader head = RowTextReader.versioned(lines[0]);
    long until = head.number();
    head.end();
    return new RequestOutcomeRow(lines[2], OutcomeText.parse(lines[1]), until);
  }
}
