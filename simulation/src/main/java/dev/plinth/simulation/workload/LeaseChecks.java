package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.HoldChecker;
import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import dev.plinth.testkit.lease.LeaseLogChecker;
import dev.plinth.testkit.lease.LeaseModel;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogEvent;
import dev.plinth.testkit.lease.WatchChecker;
import dev.plinth.testkit.linear.Linearizability;
import dev.plinth.testkit.linear.LinearizabilityResult;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Judges the histories of a run. */
final class LeaseChecks {
  private static final long MOST_STEPS = 300_000;
  private static final long SECOND = 1_000_000_000L;
  private static final String FORCIBLE = "key0";

  private LeaseChecks() {}

  static void keyed(List<Operation<LeaseCall, LeaseAnswer>> history, KeyedWire wire) {
    Map<String, List<Operation<LeaseCall, LeaseAnswer>>> parts =
        history.stream()
            .collect(
                Collectors.groupingBy(
                    operation -> operation.input().key(), TreeMap::new, Collectors.toList()));
    parts.forEach(
        (key, operations) -> {
          LinearizabilityResult result =
              Linearizability.check(new LeaseModel(), operations, MOST_STEPS);
          if (!(result instanceof LinearizabilityResult.Linearizable)) {
            throw new AssertionError(key + ": " + result);
          }
        });
    history.stream()
        .filter(op -> op.output().filter(a -> a.outcome() == Outcome.GRANTED).isPresent())
        .collect(
            Collectors.groupingBy(
                op -> wire.namespace(op.input().key()), TreeMap::new, Collectors.toList()))
        .values()
        .forEach(
            grants ->
                HoldChecker.check(grants.stream().map(grant -> hold(grant, history)).toList()));
  }

  /** For as long as its holder could be sure of it. */
  private static HoldChecker.Hold hold(
      Operation<LeaseCall, LeaseAnswer> grant, List<Operation<LeaseCall, LeaseAnswer>> history) {
    LeaseCall call = grant.input();
    long token = grant.output().orElseThrow().holds().get(0).token();
    long ends =
        history.stream()
            .filter(op -> ends(op.input(), call.key(), token))
            .mapToLong(Operation::invoked)
            .min()
            .orElse(Long.MAX_VALUE);
    long runsOut = grant.invoked() + call.ttl().toNanos();
    boolean sure = !call.shared() && !call.key().equals(FORCIBLE);
    long until = sure ? Math.max(grant.returned(), Math.min(ends, runsOut)) : grant.returned();
    return new HoldChecker.Hold(
        call.key(), call.owner(), token, grant.invoked(), grant.returned(), until);
  }

  private static boolean ends(LeaseCall call, String key, long token) {
    return (call.kind() == Kind.RELEASE || call.kind() == Kind.TRANSFER)
        && call.key().equals(key)
        && call.token() == token;
  }

  static void mixed(
      List<Operation<LogCall, LogAnswer>> history,
      List<LogEvent> log,
      List<WatchClient> watches,
      Simulation simulation) {
    LeaseLogChecker.check(history, log);
    for (WatchClient watch : watches) {
      if (!log.isEmpty()) {
        LogEvent last = log.get(log.size() - 1);
        simulation.runUntil(simulation.now() + 60 * SECOND, () -> watch.hasTold(last));
        watch.stop();
        WatchChecker.check(log, watch.told());
      }
    }
  }
}
