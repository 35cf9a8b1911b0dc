package dev.plinth.bench.ids;

import dev.plinth.bench.Load;
import dev.plinth.bench.Load.Times;
import dev.plinth.bench.Measured;
import dev.plinth.bench.Pace;
import dev.plinth.bench.ids.Given.Verdict;
import dev.plinth.bench.ids.Maker.Source;
import dev.plinth.bench.ids.Maker.Width;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs a maker, and checks every id of every round. */
final class Rounds {
  /** For all callers of a round together; a round that fills its share ends early. */
  private static final int LONGS = 32_000_000;

  /** What was measured, and whether the ids of each caller rose. */
  record Outcome(Measured measured, boolean rising) {}

  private final Pace pace;

  Rounds(Pace pace) {
    this.pace = pace;
  }

  Outcome run(Maker maker, int callers) throws Exception {
    List<Measured> rounds = new ArrayList<>();
    boolean rising = round(maker, callers, new Times(0, pace.times().warmUp()), rounds);
    rounds.clear();
    for (int i = 0; i < pace.rounds(); i++) {
      rising &= round(maker, callers, new Times(0, pace.times().seconds()), rounds);
    }
    return new Outcome(Measured.rounds(rounds), rising);
  }

  private static boolean round(Maker maker, int callers, Times times, List<Measured> into)
      throws Exception {
    List<Given> given = Stream.generate(() -> empty(maker, callers)).limit(callers).toList();
    into.add(
        Load.ofThreads(
            callers,
            times,
            caller -> {
              Source source = maker.sources().apply(caller);
              Given own = given.get(caller);
              return () -> own.hasRoomFor(Maker.MANY) ? source.take(own) : 0;
            }));
    return accept(maker, Given.check(given));
  }

  private static Given empty(Maker maker, int callers) {
    int longs = LONGS / callers;
    return maker.width() == Width.NARROW ? Given.narrow(longs) : Given.wide(longs);
  }

  /** Whether ids rose. No maker may give one twice, and ours must rise. */
  static boolean accept(Maker maker, Verdict verdict) {
    if (verdict.duplicates() > 0 || maker.ours() && verdict.unordered() > 0) {
      throw new IllegalStateException(maker.name() + ": " + verdict);
    }
    return verdict.unordered() == 0;
  }
}
