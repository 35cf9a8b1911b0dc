package dev.plinth.bench.limits;

import dev.plinth.bench.Measured;
import dev.plinth.bench.limits.Entry.Claim;
import java.util.ArrayList;
import java.util.List;

/** One contestant's rounds in one scene. */
final class Score {
  private final String name;
  private final Claim claim;
  private final Limit limit;
  private final List<Measured> rounds = new ArrayList<>();
  private long commands;
  private double ofBound;

  Score(String name, Claim claim, Limit limit) {
    this.name = name;
    this.claim = claim;
    this.limit = limit;
  }

  /**
   * Refused if it is ours and admitted more than its limit allows, or denied what was far below it.
   */
  void add(Report report, long redisCommands) {
    double share = report.ofBound(limit);
    boolean wrong = share > 1 || limit.equals(Limit.WIDE) && report.denied() > 0;
    if (claim == Claim.HELD && wrong) {
      throw new IllegalStateException(
          "%s admitted %.4f of its bound from %s to %s, and denied %d of %d"
              .formatted(
                  name,
                  share,
                  report.started(),
                  report.ended(),
                  report.denied(),
                  report.measured().inAll()));
    }
    rounds.add(report.measured());
    commands += redisCommands;
    ofBound = Math.max(ofBound, share);
  }

  Measured measured() {
    return Measured.rounds(rounds);
  }

  double perSecond() {
    return measured().perSecond();
  }

  double commandsPerDecision() {
    return (double) commands / measured().inAll();
  }

  /** Of the key that got the most, in the worst round. */
  double ofBound() {
    return ofBound;
  }
}
