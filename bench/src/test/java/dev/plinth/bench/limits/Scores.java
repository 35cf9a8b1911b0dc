package dev.plinth.bench.limits;

import static dev.plinth.bench.Table.count;
import static dev.plinth.bench.Table.millis;

import dev.plinth.bench.Measured;
import dev.plinth.bench.Table;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/** All rows, by scene and contestant. */
final class Scores {
  private final Map<Scene, Map<Entry, Score>> scores = new LinkedHashMap<>();

  Score of(Scene scene, Entry entry) {
    return scores
        .computeIfAbsent(scene, s -> new EnumMap<>(Entry.class))
        .computeIfAbsent(entry, e -> new Score(e.toString(), e.claim(), scene.limit()));
  }

  /** Decisions a second beside the fastest of some others in the same scene. */
  double ratio(Scene scene, Entry entry, Predicate<Entry> others) {
    double best =
        scores.get(scene).entrySet().stream()
            .filter(row -> others.test(row.getKey()))
            .mapToDouble(row -> row.getValue().perSecond())
            .max()
            .orElseThrow();
    return of(scene, entry).perSecond() / best;
  }

  Table table() {
    Table table =
        new Table(
            "keys",
            "JVMs",
            "threads each",
            "limiter",
            "decisions/s",
            "p50 ms",
            "p99 ms",
            "Redis commands each",
            "to Bucket4j",
            "admitted / bound");
    scores.forEach((scene, rows) -> rows.keySet().forEach(entry -> add(table, scene, entry)));
    return table;
  }

  private void add(Table table, Scene scene, Entry entry) {
    Score score = of(scene, entry);
    Measured measured = score.measured();
    table.row(
        scene.text(),
        scene.processes(),
        scene.threads(),
        entry,
        count(measured.perSecond()),
        millis(measured.millis(50)),
        millis(measured.millis(99)),
        "%.3f".formatted(score.commandsPerDecision()),
        Table.times(ratio(scene, entry, Entry::isStrictBucket4j)),
        share(score, entry));
  }

  private static String share(Score score, Entry entry) {
    if (entry.claim() == Entry.Claim.NONE) {
      return "";
    }
    String share = "%.3f".formatted(score.ofBound());
    return score.ofBound() > 1 ? "**" + share + "**" : share;
  }
}
