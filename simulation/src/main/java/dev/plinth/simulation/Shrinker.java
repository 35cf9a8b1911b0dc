package dev.plinth.simulation;

import dev.plinth.simulation.kernel.RunParts;
import dev.plinth.simulation.workload.CheckerName;
import dev.plinth.simulation.workload.RunReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Makes a run that failed small: leaves out faults, clients, their turns and steps, halves first,
 * then single ones, as long as the same checker still fails. Whatever is left out shifts the delays
 * of what remains, so where that hides the failure, other delays are tried.
 */
public final class Shrinker {
  /**
   * What became of a run.
   *
   * @param report of the smallest run that still fails
   * @param runs that it took
   */
  public record Shrunk(RunReport report, int runs) {
    public String size() {
      return report.operations() + " operations, " + report.count("faults") + " faults";
    }
  }

  private record Failing(RunParts parts, RunReport report) {}

  private static final Pattern FAULT = Pattern.compile("fault \\d+");
  private static final Pattern CLIENT = Pattern.compile("\\S+ exists");
  private static final Pattern TURN = Pattern.compile("\\S+ turn \\d+");
  private static final long SECOND = 1_000_000_000L;
  private static final int FEW = 40;
  private static final int NOISES = 4;
  private static final int HALVINGS = 5;

  private final Function<RunParts, RunReport> simulation;
  private final int maxRuns;
  private final long endNanos;
  private String checker = "";
  private int runs;

  /**
   * @param simulation runs some parts of a seed
   */
  public Shrinker(Function<RunParts, RunReport> simulation, int maxRuns, Duration atMost) {
    this.simulation = simulation;
    this.maxRuns = maxRuns;
    this.endNanos = System.nanoTime() + atMost.toNanos();
  }

  /** Runs the seed once as a whole, which must fail, and then ever smaller. */
  public Shrunk shrink() {
    RunParts all = RunParts.all();
    RunReport first = simulation.apply(all);
    runs = 1;
    if (first.isClean()) {
      throw new IllegalArgumentException("seed " + first.seed() + " does not fail");
    }
    checker = CheckerName.of(first.violations().get(0));
    Failing failing = new Failing(all, first);
    int before;
    do {
      before = failing.parts.met().size();
      failing = endEarlier(failing);
      for (Pattern kind : List.of(FAULT, CLIENT, TURN, Pattern.compile(".*"))) {
        failing = leaveOut(failing, kind.asMatchPredicate());
      }
    } while (failing.parts.met().size() < before && !isOver());
    return new Shrunk(failing.report, runs);
  }

  private boolean isOver() {
    return runs >= maxRuns || System.nanoTime() - endNanos > 0;
  }

  private Failing endEarlier(Failing from) {
    Failing best = from;
    long works = Math.min(from.parts.horizonNanos(), from.report.nanos());
    long fails = 0;
    for (int i = 0; i < HALVINGS && works - fails > SECOND / 2 && !isOver(); i++) {
      long middle = (works + fails) / 2;
      Failing shorter = run(best.parts.until(middle), 1);
      if (shorter == null) {
        fails = middle;
      } else {
        best = shorter;
        works = middle;
      }
    }
    return best;
  }

  private Failing leaveOut(Failing from, Predicate<String> kind) {
    Failing best = from;
    int size = Math.max(1, named(best, kind).size());
    while (size > 0 && !isOver()) {
      int at = 0;
      while (at < named(best, kind).size() && !isOver()) {
        List<String> names = named(best, kind);
        Set<String> chunk =
            new LinkedHashSet<>(names.subList(at, Math.min(at + size, names.size())));
        Failing smaller = run(best.parts.without(chunk), names.size() <= FEW ? NOISES : 1);
        if (smaller == null) {
          at += size;
        } else {
          best = smaller;
        }
      }
      size /= 2;
    }
    return best;
  }

  private static List<String> named(Failing failing, Predicate<String> kind) {
    return new ArrayList<>(failing.parts.met().stream().filter(kind).toList());
  }

  /** Null where it does not fail, or not by the same checker. */
  private Failing run(RunParts parts, int noises) {
    for (int noise = 0; noise < noises && !isOver(); noise++) {
      RunParts tried = noise == 0 ? parts.without(Set.of()) : parts.withNoise(runs + 1L);
      RunReport report = simulation.apply(tried);
      runs++;
      boolean same = report.violations().stream().map(CheckerName::of).anyMatch(checker::equals);
      if (same) {
        return new Failing(tried, report);
      }
    }
    return null;
  }
}
