package dev.plinth.bench.lease;

import static dev.plinth.bench.Table.count;
import static dev.plinth.bench.Table.millis;

import dev.plinth.bench.Echo;
import dev.plinth.bench.Measured;
import dev.plinth.bench.Table;
import java.util.HashMap;
import java.util.Map;

/** Beside the two yardsticks at the same number of callers: a bare echo and the naive way. */
final class LeaseTable {
  /** What a case counts: an operation of it takes so many calls over gRPC. */
  record Case(String name, int calls) {}

  static final Case ECHO = new Case(Echo.NAME, 1);
  static final Case NAIVE = new Case("naive jetcd, a key each", 0);

  private final Table table =
      new Table("case", "callers", "per second", "p50 ms", "p99 ms", "to naive", "calls to echo");
  private final Map<String, Double> perSecond = new HashMap<>();

  void add(Case what, int callers, Measured result) {
    double rate = result.perSecond();
    perSecond.put(what.name + callers, rate);
    table.row(
        what.name,
        callers,
        count(rate),
        millis(result.millis(50)),
        millis(result.millis(99)),
        what.calls == 2 ? ratio(rate, NAIVE, callers) : "",
        what.calls > 0 ? ratio(rate * what.calls, ECHO, callers) : "");
  }

  private String ratio(double rate, Case to, int callers) {
    return Table.times(rate / perSecond.get(to.name + callers));
  }

  Table table() {
    return table;
  }
}
