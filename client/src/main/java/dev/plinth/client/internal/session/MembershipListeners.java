package dev.plinth.client.internal.session;

import dev.plinth.client.MembershipState;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.SerialExecutor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Tells an application of one membership, one call after the other. While a callback blocks, the
 * next ones wait; above a bound they are dropped, since whoever blocks for that long hears nothing.
 */
public final class MembershipListeners {
  private static final Logger log = System.getLogger("plinth.client");
  private static final int MAX_WAITING = 256;

  private final Map<MembershipState, List<LongConsumer>> tasks =
      new EnumMap<>(MembershipState.class);
  private final SerialExecutor calls;
  private MembershipState told = MembershipState.JOINED;
  private long incarnation;

  MembershipListeners(ClientEnvironment environment) {
    calls = new SerialExecutor(environment.callbacks());
  }

  /** At each change into the state, and now if it is there, with the incarnation. */
  public synchronized void on(MembershipState state, LongConsumer task) {
    tasks.computeIfAbsent(state, each -> new ArrayList<>()).add(task);
    if (told == state && state != MembershipState.JOINED) {
      call(task, incarnation);
    }
  }

  /** JEOPARDY that passes is not told as a return. */
  synchronized void tell(MembershipState state, long of) {
    MembershipState before = told;
    incarnation = of;
    if (state == before || before == MembershipState.LEFT) {
      return;
    }
    told = state;
    boolean isMember = state == MembershipState.JOINED || state == MembershipState.JEOPARDY;
    if (before == MembershipState.LOST && isMember) {
      callAll(MembershipState.JOINED);
    }
    if (state != MembershipState.JOINED) {
      callAll(state);
    }
  }

  private void callAll(MembershipState state) {
    tasks.getOrDefault(state, List.of()).forEach(task -> call(task, incarnation));
  }

  private void call(LongConsumer task, long of) {
    if (calls.waiting() < MAX_WAITING) {
      calls.execute(() -> task.accept(of));
    } else {
      log.log(Level.WARNING, "a callback of a member blocks; {0} wait for it", MAX_WAITING);
    }
  }
}
