package dev.plinth.bench.lease;

import dev.plinth.bench.Aims;
import dev.plinth.bench.Table;
import java.util.List;
import java.util.Optional;

/**
 * What the durable path of leases is to reach, beside what it did; what was not run is left out.
 */
final class LeaseAims {
  private static final int[] CALLERS = {1, 8, 64, 512};

  private final LeaseTable measured;
  private final Aims aims = new Aims();

  LeaseAims(LeaseTable measured) {
    this.measured = measured;
  }

  Table table() {
    for (LeaseCase what : List.of(LeaseCase.cycles("etcd"), LeaseCase.spread("etcd"))) {
      for (int callers : CALLERS) {
        atLeast(
            callers == 1 ? 0.8 : 1,
            measured.ratio(what, LeaseCase.CURATOR, callers),
            what.name() + ", to Curator, callers: " + callers);
      }
    }
    LeaseCase.STORES.forEach(this::namespaces);
    LeaseCase etcd = LeaseCase.cycles("etcd");
    atLeast(0.25, measured.toEcho(etcd, 64), etcd.name() + ", calls to echo, callers: 64");
    loneCall();
    LeaseCase.STORES.forEach(this::renewals);
    LeaseCase.STORES.forEach(this::heartbeats);
    LeaseCase.STORES.forEach(this::rows);
    LeaseCase.STORES.forEach(this::handOffs);
    return aims.table();
  }

  private void atLeast(double wanted, Optional<Double> ratio, String what) {
    ratio.ifPresent(value -> aims.ratio(what, wanted, value));
  }

  private void namespaces(String store) {
    LeaseCase spread = LeaseCase.spread(store);
    for (int callers : CALLERS) {
      atLeast(
          0.8,
          measured.ratio(spread, LeaseCase.cycles(store), callers),
          spread.name() + ", to one namespace, callers: " + callers);
    }
  }

  /** One caller's call against what it is made of: a commit and an echo, one after the other. */
  private void loneCall() {
    LeaseCase cycles = LeaseCase.cycles("embedded");
    Optional<Double> rate = measured.perSecond(cycles, 1);
    Optional<Double> commits = measured.perSecond(LeaseCase.commits("embedded"), 1);
    Optional<Double> echo = measured.perSecond(LeaseCase.ECHO, 1);
    if (rate.isPresent() && commits.isPresent() && echo.isPresent()) {
      double call = 1 / (cycles.calls() * rate.get());
      aims.ratioAtMost(
          "Plinth embedded, a lone call, to commit plus echo",
          1.3,
          call / (1 / commits.get() + 1 / echo.get()));
    }
  }

  private void renewals(String store) {
    LeaseCase renewals = LeaseCase.renewals(store);
    for (int callers : CALLERS) {
      atLeast(
          0.85,
          measured.toEcho(renewals, callers),
          renewals.name() + ", to echo, callers: " + callers);
    }
  }

  private void heartbeats(String store) {
    measured
        .result(LeaseCase.heartbeats(store), LeaseBench.BESIDE_HEARTBEATS)
        .ifPresent(
            result ->
                aims.below(
                    "Plinth " + store + ", p99 ms of a heartbeat while 512 callers cycle",
                    20,
                    result.millis(99)));
  }

  private void rows(String store) {
    LeaseCase cycles = LeaseCase.cycles(store);
    for (int callers : CALLERS) {
      measured
          .rowsPerCycle(cycles, callers)
          .ifPresent(
              rows ->
                  aims.below(cycles.name() + ", rows per cycle, callers: " + callers, 2.5, rows));
    }
  }

  private void handOffs(String store) {
    LeaseCase handOffs = LeaseCase.handOffs(store);
    for (int callers : new int[] {8, 64, 512}) {
      atLeast(
          0.5,
          measured
              .perSecond(handOffs, callers)
              .flatMap(
                  rate ->
                      measured
                          .perSecond(LeaseCase.commits(store), 1)
                          .map(commits -> rate / commits)),
          handOffs.name() + ", to commits one after another, callers: " + callers);
    }
  }
}
