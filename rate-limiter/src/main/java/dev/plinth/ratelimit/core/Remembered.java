package dev.plinth.ratelimit.core;

/**
 * The outcome of a request that is to have its effect once.
 *
 * @param until it is remembered
 */
record Remembered(String fingerprint, Outcome outcome, long until) implements Kept {
  @Override
  public boolean isOver(long now) {
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

  static Remembered parse(String text) {
    String[] lines = text.split("\n", 3);
    if (lines.length < 3) {
      throw new IllegalArgumentException(lines.length + " lines (expected: 3)");
    }
    Lines head = Lines.versioned(lines[0]);
    long until = head.number();
    head.end();
    return new Remembered(lines[2], OutcomeText.parse(lines[1]), until);
  }
}
