package dev.plinth.testkit.lease;

import dev.plinth.testkit.History.Operation;
import dev.plinth.testkit.lease.LeaseAnswer.Held;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseKeyState.Hold;
import dev.plinth.testkit.linear.SequentialModel;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One key of the lease service: tokens that rise with each grant (V1), one exclusive holder or
 * several shared ones (V2), holds that end by time no sooner than their time is over (V5), stale
 * tokens that change nothing (V8). That a call sent again gets its first answer (V7) shows when it
 * is recorded as one.
 *
 * <p>A hold runs out when an answer needs it gone, and only then: to let it end earlier would
 * explain nothing more. Its time counts from the invocation of the call that last renewed it, on
 * the clock of the history, which must be that of the servers too. Lock-delays are not modelled.
 */
public final class LeaseModel implements SequentialModel<LeaseKeyState, LeaseCall, LeaseAnswer> {
  private static final Set<Outcome> OBSERVATIONS =
      EnumSet.of(
          Outcome.HELD,
          Outcome.TIMED_OUT,
          Outcome.LOST,
          Outcome.NOT_HELD,
          Outcome.VALID,
          Outcome.STALE,
          Outcome.SHOWN);

  @Override
  public LeaseKeyState initial() {
    return LeaseKeyState.FREE;
  }

  @Override
  public List<LeaseKeyState> apply(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> operation) {
    if (operation.returned() < state.notBefore()) {
      return List.of();
    }
    Stream<LeaseKeyState> next =
        operation.output().isPresent()
            ? answered(state, operation, operation.output().get())
            : unanswered(state, operation);
    return next.map(s -> s.settled(operation.invoked())).distinct().toList();
  }

  @Override
  public boolean isObservation(Operation<LeaseCall, LeaseAnswer> operation) {
    return operation.output().map(LeaseAnswer::outcome).filter(OBSERVATIONS::contains).isPresent();
  }

  private static Stream<LeaseKeyState> answered(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op, LeaseAnswer answer) {
    LeaseCall call = op.input();
    long returned = op.returned();
    return switch (answer.outcome()) {
      case GRANTED -> granted(state, op, answer.only()).stream();
      case REENTERED -> reentered(state, op, answer.only()).stream();
      case HELD -> refused(state, op, answer.holds()).stream();
      case TIMED_OUT ->
          state.shownAs(answer.holds(), returned).filter(s -> !s.holds().isEmpty()).stream();
      case SHOWN -> state.shownAs(answer.holds(), returned).stream();
      case FORCED -> state.shownAs(answer.holds(), returned).map(s -> emptied(s)).stream();
      case RENEWED -> change(state, call, hold -> hold.renewed(op.invoked()));
      case VALID -> change(state, call, hold -> hold);
      case STILL_HELD ->
          change(state, call, hold -> hold.entered(hold.entries() - 1, hold.shared()))
              .filter(s -> s.holds().stream().allMatch(hold -> hold.entries() > 0));
      case RELEASED ->
          state
              .under(call.token())
              .filter(hold -> hold.entries() == 1)
              .map(hold -> learned(state, call.token()).without(hold));
      case TRANSFERRED -> transferred(state, op, answer.only());
      case LOST, NOT_HELD -> state.ranOut(hold -> hold.token() == call.token(), returned).stream();
      case STALE -> stale(state, op, answer.token());
    };
  }

  private static Optional<LeaseKeyState> granted(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op, Held own) {
    LeaseCall call = op.input();
    if (own.token() <= state.lastToken() || !own.equals(onReleaseAsked(call, own.token()))) {
      return Optional.empty();
    }
    return makeRoom(state, op).map(free -> free.with(hold(op, own.token(), state)));
  }

  private static Held onReleaseAsked(LeaseCall call, long token) {
    return new Held(call.owner(), token, call.shared(), 1);
  }

  private static Hold hold(Operation<LeaseCall, LeaseAnswer> op, long token, LeaseKeyState state) {
    LeaseCall call = op.input();
    long above = token == Hold.UNKNOWN ? state.lastToken() : 0;
    long until = op.invoked() + call.ttl().toNanos();
    return new Hold(call.owner(), token, above, call.shared(), 1, call.ttl(), until);
  }

  /** All that the new hold does not go with have run out, an older one of the same owner too. */
  private static Optional<LeaseKeyState> makeRoom(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op) {
    LeaseCall call = op.input();
    return state.ranOut(
        hold -> !call.shared() || !hold.shared() || hold.owner().equals(call.owner()),
        op.returned());
  }

  private static Optional<LeaseKeyState> reentered(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op, Held own) {
    return entered(state, op)
        .filter(s -> s.of(op.input().owner()).orElseThrow().looksLike(own))
        .map(
            s -> {
              Hold hold = s.of(op.input().owner()).orElseThrow();
              return s.replace(hold, hold.known(own.token()));
            });
  }

  /** Once more by its owner; from shared to exclusive only with the others gone. */
  private static Optional<LeaseKeyState> entered(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op) {
    Hold hold = state.of(op.input().owner()).orElse(null);
    if (hold == null) {
      return Optional.empty();
    }
    boolean shared = hold.shared() && op.input().shared();
    Hold more = hold.entered(hold.entries() + 1, shared).renewed(op.invoked());
    return state
        .ranOut(other -> hold.shared() && !shared && other != hold, op.returned())
        .map(s -> s.replace(hold, more));
  }

  /**
   * Somebody else holds it. Whether a shared one was refused for the sake of those in line is not
   * modelled.
   */
  private static Optional<LeaseKeyState> refused(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op, List<Held> shown) {
    LeaseCall call = op.input();
    boolean own = shown.stream().anyMatch(held -> held.owner().equals(call.owner()));
    boolean widening = !call.shared() && shown.size() > 1;
    if (shown.isEmpty() || own && !widening) {
      return Optional.empty();
    }
    return state.shownAs(shown, op.returned());
  }

  private static Stream<LeaseKeyState> change(
      LeaseKeyState state, LeaseCall call, UnaryOperator<Hold> change) {
    return state
        .under(call.token())
        .map(hold -> state.replace(hold, change.apply(hold.known(call.token()))));
  }

  /** A token that was unknown until now. */
  private static LeaseKeyState learned(LeaseKeyState state, long token) {
    return new LeaseKeyState(state.holds(), Math.max(state.lastToken(), token), state.notBefore());
  }

  private static Stream<LeaseKeyState> transferred(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op, Held next) {
    if (next.token() <= state.lastToken()
        || !next.owner().equals(op.input().owner())
        || next.entries() != 1) {
      return Stream.of();
    }
    return state
        .under(op.input().token())
        .filter(hold -> hold.shared() == next.shared())
        .map(hold -> state.without(hold).with(transferred(hold, op, next.token(), 0)));
  }

  private static Hold transferred(
      Hold hold, Operation<LeaseCall, LeaseAnswer> op, long token, long above) {
    long until = op.invoked() + hold.ttl().toNanos();
    return new Hold(op.input().owner(), token, above, hold.shared(), 1, hold.ttl(), until);
  }

  private static Stream<LeaseKeyState> stale(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op, long current) {
    long asked = op.input().token();
    Optional<LeaseKeyState> ended =
        state.ranOut(
            hold -> current == 0 || hold.token() == asked || hold.token() > current, op.returned());
    return Stream.concat(
        ended.stream().flatMap(s -> newestIs(s, current)), ranOutButHeld(state, op, current));
  }

  /** Its time is over, but not its hold: a renewal may still save it. */
  private static Stream<LeaseKeyState> ranOutButHeld(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op, long current) {
    long asked = op.input().token();
    return current < asked
        ? Stream.of()
        : state
            .under(asked)
            .filter(hold -> hold.runsUntil() <= op.returned())
            .map(hold -> state.replace(hold, hold.known(asked)))
            .flatMap(s -> s.ranOut(other -> other.token() > current, op.returned()).stream())
            .flatMap(s -> newestIs(s, current));
  }

  private static Stream<LeaseKeyState> newestIs(LeaseKeyState state, long current) {
    return current == 0
        ? Stream.of(state)
        : state.under(current).map(hold -> state.replace(hold, hold.known(current)));
  }

  /** A call whose outcome nobody knows; that it changed nothing is tried without us. */
  private static Stream<LeaseKeyState> unanswered(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op) {
    LeaseCall call = op.input();
    return switch (call.kind()) {
      case ACQUIRE ->
          state.of(call.owner()).isPresent()
              ? Stream.concat(entered(state, op).stream(), taken(state, op).stream())
              : taken(state, op).stream();
      case RELEASE ->
          state
              .under(call.token())
              .map(
                  hold ->
                      hold.entries() == 1
                          ? state.without(hold)
                          : state.replace(hold, hold.entered(hold.entries() - 1, hold.shared())));
      case TRANSFER ->
          state
              .under(call.token())
              .map(
                  hold ->
                      state
                          .without(hold)
                          .with(transferred(hold, op, Hold.UNKNOWN, state.lastToken())));
      case FORCE_RELEASE -> Stream.of(emptied(state));
      // A renewal only makes the time longer that others must wait; a question changes nothing.
      case RENEW, VALIDATE, READ -> Stream.of();
    };
  }

  private static LeaseKeyState emptied(LeaseKeyState state) {
    return new LeaseKeyState(List.of(), state.lastToken(), state.notBefore());
  }

  private static Optional<LeaseKeyState> taken(
      LeaseKeyState state, Operation<LeaseCall, LeaseAnswer> op) {
    return makeRoom(state, op).map(free -> free.with(hold(op, Hold.UNKNOWN, state)));
  }
}
