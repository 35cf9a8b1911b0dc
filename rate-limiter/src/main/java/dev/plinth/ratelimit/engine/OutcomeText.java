package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.RowTextReader;
import dev.plinth.ratelimit.store.Outcome;
import java.util.ArrayList;
import java.util.List;

/** An outcome as one line, for the requests that are remembered. */
final class OutcomeText {
  private OutcomeText() {}

  static String of(Outcome outcome) {
    StringBuilder text = new StringBuilder();
    if (outcome instanceof Outcome.Taken taken) {
      text.append("taken");
      RowTextReader.numbers(
          text, taken.admitted(), taken.granted(), taken.leased(), taken.delay(), taken.retry());
      append(text, taken.standings());
    } else if (outcome instanceof Outcome.Settled settled) {
      RowTextReader.numbers(text.append("settled"), bit(settled.found()), settled.refunded());
    } else if (outcome instanceof Outcome.Done done) {
      append(text.append("done"), done.standings());
    } else if (outcome instanceof Outcome.SlotOutcome slotted) {
      text.append("slotted");
      RowTextReader.numbers(text, bit(slotted.acquired()), slotted.token(), slotted.retry());
      append(text, slotted.standings());
    } else if (outcome instanceof Outcome.Held held) {
      RowTextReader.numbers(text.append("held"), bit(held.held()));
    } else {
      throw new IllegalArgumentException(outcome + " is not remembered");
    }
    return text.toString();
  }

  private static void append(StringBuilder text, List<Outcome.Standing> standings) {
    for (Outcome.Standing standing : standings) {
      RowTextReader.numbers(
          text, standing.available(), standing.reset(), bit(standing.over()), standing.version());
    }
  }

  private static long bit(boolean set) {
    return set ? 1 : 0;
  }

  static Outcome parse(String line) {
    RowTextReader words = RowTextReader.of(line);
    String kind = words.word();
    Outcome outcome =
        switch (kind) {
          case "taken" ->
              new Outcome.Taken(
                  Math.toIntExact(words.number()),
                  words.number(),
                  words.number(),
                  words.number(),
                  words.number(),
                  standings(words));
          case "settled" -> new Outcome.Settled(words.number() == 1, words.number());
          case "done" -> new Outcome.Done(standings(words));
          case "slotted" ->
              new Outcome.SlotOutcome(
                  words.number() == 1, words.number(), words.number(), standings(words));
          case "held" -> new Outcome.Held(words.number() == 1);
          default -> throw new IllegalArgumentException(kind + " (expected: an outcome)");
        };
    words.end();
    return outcome;
  }

  private static List<Outcome.Standing> standings(RowTextReader words) {
    List<Outcome.Standing> all = new ArrayList<>();
    while (words.left() > 0) {
      all.add(
          new Outcome.Standing(
              words.number(), words.number(), words.number() == 1, words.number()));
    }
    return all;
  }
}
