package dev.plinth.bench.lease;

import static dev.plinth.bench.Table.count;
import static dev.plinth.bench.Table.millis;

import dev.plinth.bench.Aims;
import dev.plinth.bench.Echo;
import dev.plinth.bench.Measured;
import dev.plinth.bench.Table;
import java.util.HashMap;
import java.util.Map;

/**
 * Beside the yardsticks: a bare echo and the naive way at the same number of callers, and for a key
 * that is handed on, its store's commits one after another.
 */
final class LeaseTable {
  /** What a case counts: an operation of it takes so many calls over gRPC. */
  record Case(String name, int calls) {
    static Case cycles(String store, String where) {
      return new Case("Plinth " + store + ", cycles, " + where, 2);
    }

    static Case handOffs(String store) {
      return new Case("Plinth " + store + ", hand-offs of one hot key", 2);
    }

    static Case renewals(String store) {
      return new Case("Plinth " + store + ", renewals", 1);
    }

    static Case commits(String store) {
      return new Case(store + ", commits one after another", 0);
    }
  }

  static final Case ECHO = new Case(Echo.NAME, 1);
  static final Case NAIVE = new Case("naive jetcd, a key each", 0);

  private final Table table =
      new Table(
          "case",
          "callers",
          "per second",
          "p50 ms",
          "p99 ms",
          "to naive",
          "calls to echo",
          "for each commit");
  private final Map<String, Double> perSecond = new HashMap<>();

  /**
   * @param commits of the shards meanwhile, 0 if there are none
   */
  void add(Case what, int callers, Measured result, long commits) {
    double rate = result.perSecond();
    perSecond.put(what.name + callers, rate);
    table.row(
        what.name,
        callers,
        count(rate),
        millis(result.millis(50)),
        millis(result.millis(99)),
        what.calls == 2 ? Table.times(ratio(what, NAIVE, callers)) : "",
        what.calls > 0 ? Table.times(what.calls * ratio(what, ECHO, callers)) : "",
        what.calls == 2 ? "%.1f".formatted((double) result.inAll() / commits) : "");
  }

  private double ratio(Case what, Case to, int callers) {
    return perSecond.get(what.name + callers) / perSecond.get(to.name + callers);
  }

  Table table() {
    return table;
  }

  Table aims() {
    Aims aims = new Aims();
    for (String store : new String[] {"etcd", "embedded"}) {
      Case cycles = Case.cycles(store, "a key each");
      aims.ratio(cycles.name + ", to naive, callers: 64", 30, ratio(cycles, NAIVE, 64));
      for (int callers : new int[] {8, 64, 512}) {
        double commits = perSecond.get(Case.commits(store).name + 1);
        Case handOffs = Case.handOffs(store);
        aims.ratio(
            handOffs.name + ", to commits one after another, callers: " + callers,
            0.5,
            perSecond.get(handOffs.name + callers) / commits);
      }
      Case renewals = Case.renewals(store);
      aims.ratio(renewals.name + ", to echo, callers: 64", 1, ratio(renewals, ECHO, 64));
    }
    return aims.table();
  }
}
