package dev.plinth.standalone.history;

import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.HoldChecker.Hold;
import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import java.util.List;

/**
 * The exclusive grants of a history, each for as long as its holder could be sure of it: until its
 * first ttl is over or anybody asked to end it.
 */
final class Holds {
  private Holds() {}

  static List<Hold> of(List<Operation<LeaseCall, LeaseAnswer>> history) {
    return history.stream()
        .filter(op -> op.output().filter(a -> a.outcome() == Outcome.GRANTED).isPresent())
        .map(op -> hold(op, history))
        .toList();
  }

  private static Hold hold(
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
    boolean sure = !call.shared() && !call.key().equals(Caller.FORCIBLE);
    long until = sure ? Math.max(grant.returned(), Math.min(ends, runsOut)) : grant.returned();
    return new Hold(call.key(), call.owner(), token, grant.invoked(), grant.returned(), until);
  }

  private static boolean ends(LeaseCall call, String key, long token) {
    return (call.kind() == Kind.RELEASE || call.kind() == Kind.TRANSFER)
        && call.key().equals(key)
        && call.token() == token;
  }
}
