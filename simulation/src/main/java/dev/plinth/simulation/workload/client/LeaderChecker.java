package dev.plinth.simulation.workload.client;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Judges an election: a term has one leader and one token, tokens rise with terms, and observers
 * hear of terms in order, each once and none left out, unless they are told of a gap.
 */
final class LeaderChecker {
  /** What an observer heard. */
  sealed interface Heard {
    record Leader(long term, long token) implements Heard {}

    record NoLeader(long term) implements Heard {}

    record Gap() implements Heard {}
  }

  private final TreeMap<Long, Long> tokens = new TreeMap<>();

  /** By whoever says so: the leader itself, an observer, the server. */
  void elected(long term, long token) {
    Long before = tokens.putIfAbsent(term, token);
    require(
        before == null || before == token,
        "term " + term + " has tokens " + before + " and " + token);
  }

  long lastTerm() {
    return tokens.isEmpty() ? 0 : tokens.lastKey();
  }

  /** Terms of all that were told. */
  void checkTerms() {
    long highest = 0;
    for (Map.Entry<Long, Long> term : tokens.entrySet()) {
      require(term.getValue() > highest, "tokens do not rise with terms: " + tokens);
      highest = term.getValue();
    }
  }

  /** One observer's story; it may begin with any term. */
  static void checkOrder(List<Heard> story) {
    long term = -1;
    boolean leads = false;
    boolean gap = true;
    for (Heard heard : story) {
      if (heard instanceof Heard.Gap) {
        gap = true;
        continue;
      }
      long told =
          heard instanceof Heard.Leader leader ? leader.term() : ((Heard.NoLeader) heard).term();
      boolean begins = heard instanceof Heard.Leader;
      boolean next = begins ? told == term + 1 : told == term && leads;
      boolean later = begins ? told > term : told > term || told == term && leads;
      require(next || gap && later, heard + " after term " + term + " in " + story);
      gap &= !begins && told == term; // the end of a term that went by in it
      term = told;
      leads = begins;
    }
  }

  /** How it ended, as an observer knows it: the term, if nobody leads. */
  static Optional<Long> lastEnded(List<Heard> story) {
    return story.isEmpty() || !(story.get(story.size() - 1) instanceof Heard.NoLeader last)
        ? Optional.empty()
        : Optional.of(last.term());
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
