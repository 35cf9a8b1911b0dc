package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.ratelimit.store.Outcome.Standing;
import java.util.ArrayList;
import java.util.List;

/** Reads the script's answer: the time, then each outcome as its kind and its numbers. */
final class OutcomeReader {
  /** In place of the time: no window of a calendar was given that holds the time, which follows. */
  private static final long MISSED = -1;

  private static final int TAKEN = 1;
  private static final int STALE = 2;
  private static final int SETTLED = 3;
  private static final int DONE = 4;
  private static final int SLOTTED = 5;
  private static final int HELD = 6;
  private static final int REUSED = 7;

  private final long[] numbers;
  private int next = 1;

  private OutcomeReader(long[] numbers) {
    this.numbers = numbers;
  }

  static boolean missed(long[] answer) {
    return answer[0] == MISSED;
  }

  /** When the script ran. */
  static long time(long[] answer) {
    return missed(answer) ? answer[1] : answer[0];
  }

  static List<Outcome> of(long[] answer, int count) {
    OutcomeReader reader = new OutcomeReader(answer);
    List<Outcome> outcomes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      outcomes.add(reader.outcome());
    }
    return outcomes;
  }

  private Outcome outcome() {
    int kind = (int) number();
    return switch (kind) {
      case TAKEN ->
          new Outcome.Taken((int) number(), number(), number(), number(), number(), standings());
      case STALE -> new Outcome.Stale(number());
      case SETTLED -> new Outcome.Settled(flag(), number());
      case DONE -> new Outcome.Done(standings());
      case SLOTTED -> new Outcome.SlotOutcome(flag(), number(), number(), standings());
      case HELD -> new Outcome.Held(flag());
      case REUSED -> new Outcome.Reused();
      default -> throw new IllegalStateException("outcome " + kind + " (expected: 1..7)");
    };
  }

  private List<Standing> standings() {
    int count = (int) number();
    List<Standing> standings = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      standings.add(new Standing(number(), number(), flag(), number()));
    }
    return standings;
  }

  private boolean flag() {
    return number() != 0;
  }

  private long number() {
    return numbers[next++];
  }
}
