package dev.plinth.testkit.lease;

import dev.plinth.testkit.History.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the calls of a namespace against the server's log of it, which claims the order in which
 * everything happened. With that order given there is nothing to search for: it must be legal by
 * itself, agree with every answer, and with real time. Covers what a search over single keys
 * cannot: sets, semaphores whose capacity changes, lock-delays, waits that were given up.
 *
 * <ul>
 *   <li>Tokens rise with every grant; exclusive holders are alone; weights fit the capacity that
 *       was in force, or may have been, when the grant was decided.
 *   <li>A call that was granted stands in the log with the tokens it was told, a set without
 *       another event between its keys; one that was refused, or cancelled, does not stand there at
 *       all.
 *   <li>An event is decided after all calls were made whose effects stand before it, and before any
 *       call returned whose effect stands after it.
 *   <li>A hold expires no sooner than its ttl after the call that last renewed it was made, and its
 *       lock-delay bars the key to others for as long from then on.
 * </ul>
 */
public final class LeaseLogChecker {
  private static final long NEVER = Long.MAX_VALUE;

  private final List<Operation<LogCall, LogAnswer>> calls;
  private final List<LogEvent> log;
  private final Map<String, Operation<LogCall, LogAnswer>> byOwner = new HashMap<>();
  private final Map<Long, Integer> grants = new HashMap<>();
  private final Map<Long, Integer> ends = new HashMap<>();
  private final Map<Long, LogCall.Item> items = new HashMap<>();
  // Of each event: it was decided no sooner, and no later.
  private final long[] earliest;
  private final long[] latest;

  private LeaseLogChecker(List<Operation<LogCall, LogAnswer>> calls, List<LogEvent> log) {
    this.calls = calls;
    this.log = log;
    this.earliest = new long[log.size()];
    this.latest = new long[log.size()];
  }

  /**
   * @param log all events of the namespace, in order, after the last call has ended and every hold
   */
  public static void check(List<Operation<LogCall, LogAnswer>> calls, List<LogEvent> log) {
    LeaseLogChecker checker = new LeaseLogChecker(calls, log);
    checker.index();
    checker.checkAnswers();
    checker.boundTimes();
    checker.replay();
    checker.checkLosses();
  }

  private void index() {
    for (Operation<LogCall, LogAnswer> call : calls) {
      if (!call.input().owner().isEmpty()) {
        require(byOwner.put(call.input().owner(), call) == null, "one owner, two calls", call);
      }
    }
    long last = 0;
    for (int i = 0; i < log.size(); i++) {
      LogEvent event = log.get(i);
      if (event.isGrant()) {
        require(event.token() > last, "a token that did not rise", event);
        last = event.token();
        grants.put(event.token(), i);
      } else {
        require(grants.containsKey(event.token()), "an end without a grant", event);
        require(ends.put(event.token(), i) == null, "ended twice", event);
      }
    }
    for (long token : grants.keySet()) {
      require(ends.containsKey(token), "not ended in the log", log.get(grants.get(token)));
    }
  }

  private void checkAnswers() {
    Map<String, List<Integer>> granted = new HashMap<>();
    for (int i = 0; i < log.size(); i++) {
      if (log.get(i).isGrant()) {
        granted.computeIfAbsent(log.get(i).owner(), o -> new ArrayList<>()).add(i);
      }
    }
    granted.forEach(
        (owner, at) -> require(byOwner.containsKey(owner), "granted unasked", log.get(at.get(0))));
    for (Operation<LogCall, LogAnswer> call : calls) {
      List<Integer> at = granted.getOrDefault(call.input().owner(), List.of());
      switch (call.input().kind()) {
        case ACQUIRE -> checkAcquire(call, at);
        case TRANSFER -> checkTransfer(call, at);
        case RELEASE -> checkEnd(call, LogEvent.Type.RELEASED);
        case FORCE_RELEASE -> checkEnd(call, LogEvent.Type.FORCED);
        default -> {} // renewals and policies leave no event
      }
    }
  }

  private void checkAcquire(Operation<LogCall, LogAnswer> call, List<Integer> at) {
    checkTold(call, at);
    if (at.isEmpty()) {
      return;
    }
    List<LogCall.Item> wanted = call.input().items();
    require(at.size() == wanted.size(), "a set in part, or twice", call);
    require(at.get(at.size() - 1) - at.get(0) == at.size() - 1, "a set not in one step", call);
    for (int i = 0; i < wanted.size(); i++) {
      LogEvent event = log.get(at.get(i));
      require(event.key().equals(wanted.get(i).key()), "another key", call);
      items.put(event.token(), wanted.get(i));
    }
  }

  private void checkTransfer(Operation<LogCall, LogAnswer> call, List<Integer> at) {
    checkTold(call, at);
    if (at.isEmpty()) {
      return;
    }
    require(at.size() == 1, "transferred twice", call);
    Integer end = ends.get(call.input().token());
    require(
        end != null
            && end == at.get(0) - 1
            && log.get(end).type() == LogEvent.Type.TRANSFERRED
            && log.get(end).key().equals(log.get(at.get(0)).key()),
        "a transfer from nobody",
        call);
  }

  private void checkTold(Operation<LogCall, LogAnswer> call, List<Integer> at) {
    if (call.output().isEmpty()) {
      return;
    }
    List<Long> tokens = at.stream().map(i -> log.get(i).token()).toList();
    require(call.output().get().done() || at.isEmpty(), "refused, but granted", call);
    require(call.output().get().tokens().equals(tokens), "other tokens than " + tokens, call);
  }

  private void checkEnd(Operation<LogCall, LogAnswer> call, LogEvent.Type type) {
    if (call.output().filter(LogAnswer::done).isPresent()) {
      Integer end = ends.get(call.input().token());
      require(end != null && log.get(end).type() == type, "not in the log", call);
    }
  }

  /** By the calls whose effects the events are; each release is the first that may be it. */
  private void boundTimes() {
    Arrays.fill(earliest, Long.MIN_VALUE);
    Arrays.fill(latest, NEVER);
    for (Operation<LogCall, LogAnswer> call : calls) {
      if (call.input().kind() == LogCall.Kind.RELEASE
          || call.input().kind() == LogCall.Kind.FORCE_RELEASE) {
        if (call.output().filter(LogAnswer::done).isPresent()) {
          bound(ends.get(call.input().token()), call);
        }
      }
    }
    for (int i = 0; i < log.size(); i++) {
      if (log.get(i).isGrant()) {
        bound(i, byOwner.get(log.get(i).owner()));
      }
    }
    for (int i = 1; i < log.size(); i++) {
      earliest[i] = Math.max(earliest[i], earliest[i - 1]);
    }
    for (int i = log.size() - 2; i >= 0; i--) {
      latest[i] = Math.min(latest[i], latest[i + 1]);
    }
    for (int i = 0; i < log.size(); i++) {
      require(earliest[i] <= latest[i], "not in the order of real time", log.get(i));
    }
  }

  private void bound(int event, Operation<LogCall, LogAnswer> call) {
    earliest[event] = Math.max(earliest[event], call.invoked());
    latest[event] = Math.min(latest[event], call.returned());
  }

  private void replay() {
    Map<String, Map<Long, LogCall.Item>> holders = new HashMap<>();
    for (int i = 0; i < log.size(); i++) {
      LogEvent event = log.get(i);
      Map<Long, LogCall.Item> held = holders.computeIfAbsent(event.key(), k -> new HashMap<>());
      if (!event.isGrant()) {
        require(held.remove(event.token()) != null, "ended on another key", event);
        continue;
      }
      LogCall.Item item = items.get(event.token());
      if (item == null) { // transferred: what it was before
        item = items.get(log.get(i - 1).token());
        items.put(event.token(), item);
      }
      checkGoesWith(item, held, i);
      held.put(event.token(), item);
    }
  }

  private void checkGoesWith(LogCall.Item item, Map<Long, LogCall.Item> held, int at) {
    LogEvent event = log.get(at);
    boolean alone = item.mode() == LogCall.Mode.EXCLUSIVE;
    boolean fits = held.values().stream().allMatch(other -> !alone && other.mode() == item.mode());
    require(fits, "two holders that do not go together, beside " + held, event);
    boolean handedOn = at > 0 && log.get(at - 1).type() == LogEvent.Type.TRANSFERRED;
    if (item.mode() == LogCall.Mode.SEMAPHORE && !handedOn) { // nothing held is taken away
      int sum = item.weight() + held.values().stream().mapToInt(LogCall.Item::weight).sum();
      int capacity = highestCapacity(earliest[at], latest[at]);
      require(sum <= capacity, sum + " held of " + capacity + ", beside " + held, event);
    }
  }

  /** Of all that may have been in force within the time. One client alone sets policies. */
  private int highestCapacity(long from, long to) {
    List<Operation<LogCall, LogAnswer>> policies =
        calls.stream().filter(c -> c.input().kind() == LogCall.Kind.SET_POLICY).toList();
    int highest = 0;
    for (int i = 0; i < policies.size(); i++) {
      long replaced = NEVER;
      for (int j = i + 1; j < policies.size() && replaced == NEVER; j++) {
        replaced = policies.get(j).output().isPresent() ? policies.get(j).returned() : NEVER;
      }
      if (policies.get(i).invoked() <= to && replaced >= from) {
        highest = Math.max(highest, policies.get(i).input().capacity());
      }
    }
    return highest;
  }

  private void checkLosses() {
    Map<Long, Long> renewed = new HashMap<>();
    for (Operation<LogCall, LogAnswer> call : calls) {
      if (call.input().kind() == LogCall.Kind.RENEW
          && call.output().filter(LogAnswer::done).isPresent()) {
        renewed.merge(call.input().token(), call.invoked(), Math::max);
      }
    }
    Map<String, Long> barred = new HashMap<>();
    for (int i = 0; i < log.size(); i++) {
      LogEvent event = log.get(i);
      if (event.type() == LogEvent.Type.EXPIRED || event.type() == LogEvent.Type.FORCED) {
        LogCall taken = origin(event.token());
        long over = earliest[i];
        if (event.type() == LogEvent.Type.EXPIRED) {
          long counted = byOwner.get(event.owner()).invoked();
          counted = Math.max(counted, renewed.getOrDefault(event.token(), Long.MIN_VALUE));
          over = Math.max(over, counted + taken.ttl().toNanos());
          require(over <= latest[i], "expired early", event);
        }
        barred.merge(event.key(), over + taken.lockDelay().toNanos(), Math::max);
      } else if (event.isGrant() && !isHandedOn(i)) {
        require(
            barred.getOrDefault(event.key(), Long.MIN_VALUE) <= latest[i],
            "granted within a lock-delay",
            event);
      }
    }
  }

  private boolean isHandedOn(int at) {
    return byOwner.get(log.get(at).owner()).input().kind() == LogCall.Kind.TRANSFER;
  }

  /** The call that took what a token stands for, over any number of transfers. */
  private LogCall origin(long token) {
    LogCall call = byOwner.get(log.get(grants.get(token)).owner()).input();
    return call.kind() == LogCall.Kind.TRANSFER ? origin(call.token()) : call;
  }

  private static void require(boolean holds, String what, Object where) {
    if (!holds) {
      throw new AssertionError(what + ": " + where);
    }
  }
}
