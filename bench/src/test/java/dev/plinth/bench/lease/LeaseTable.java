package dev.plinth.bench.lease;

import static dev.plinth.bench.Table.count;
import static dev.plinth.bench.Table.millis;

import dev.plinth.bench.Measured;
import dev.plinth.bench.Table;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Every row beside the yardsticks at the same number of callers: a bare echo, the naive way and
 * Curator. What was not measured in this run is left blank.
 */
final class LeaseTable {
  /** What shards wrote meanwhile. */
  record Written(long commits, long rows) {
    static final Written NOTHING = new Written(0, 0);

    Written since(Written before) {
      return new Written(commits - before.commits, rows - before.rows);
    }
  }

  private record Key(LeaseCase what, int callers) {}

  private final Table table =
      new Table(
          "case",
          "callers",
          "per second",
          "p50 ms",
          "p99 ms",
          "to naive",
          "to Curator",
          "calls to echo",
          "cycles per commit",
          "rows per cycle");
  private final Map<Key, Measured> results = new HashMap<>();
  private final Map<Key, Double> rowsPerCycle = new HashMap<>();

  void add(LeaseCase what, int callers, Measured result, Written written) {
    Key key = new Key(what, callers);
    results.put(key, result);
    boolean cycles = what.calls() == 2 && written.commits > 0;
    if (cycles) {
      rowsPerCycle.put(key, (double) written.rows / result.inAll());
    }
    table.row(
        what.name(),
        callers,
        count(result.perSecond()),
        millis(result.millis(50)),
        millis(result.millis(99)),
        what.calls() == 2 ? times(ratio(what, LeaseCase.NAIVE, callers)) : "",
        what.calls() == 2 ? times(ratio(what, LeaseCase.CURATOR, callers)) : "",
        what.calls() > 0 ? times(toEcho(what, callers)) : "",
        cycles ? "%.1f".formatted((double) result.inAll() / written.commits) : "",
        cycles ? "%.2f".formatted(rowsPerCycle.get(key)) : "");
  }

  private static String times(Optional<Double> ratio) {
    return ratio.map(Table::times).orElse("");
  }

  Optional<Double> perSecond(LeaseCase what, int callers) {
    return result(what, callers).map(Measured::perSecond);
  }

  Optional<Measured> result(LeaseCase what, int callers) {
    return Optional.ofNullable(results.get(new Key(what, callers)));
  }

  Optional<Double> rowsPerCycle(LeaseCase what, int callers) {
    return Optional.ofNullable(rowsPerCycle.get(new Key(what, callers)));
  }

  /** Of operations to operations. */
  Optional<Double> ratio(LeaseCase what, LeaseCase to, int callers) {
    return perSecond(what, callers)
        .flatMap(rate -> perSecond(to, callers).map(yardstick -> rate / yardstick));
  }

  /** Of calls to calls. */
  Optional<Double> toEcho(LeaseCase what, int callers) {
    return ratio(what, LeaseCase.ECHO, callers).map(ratio -> ratio * what.calls());
  }

  Table table() {
    return table;
  }
}
