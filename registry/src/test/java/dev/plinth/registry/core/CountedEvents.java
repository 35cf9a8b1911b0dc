package dev.plinth.registry.core;

import java.util.HashMap;
import java.util.Map;

/** Keeps count, for tests. */
final class CountedEvents implements RegistryEvents {
  final Map<MemberEnd.Cause, Integer> ended = new HashMap<>();
  final Map<MemberState, Integer> became = new HashMap<>();
  int beats;
  int unknownBeats;
  int registered;
  int excused;
  int members;
  int sessions;
  int held;

  @Override
  public void beat(boolean known) {
    beats += known ? 1 : 0;
    unknownBeats += known ? 0 : 1;
  }

  @Override
  public void sessionBecame(MemberState state) {
    became.merge(state, 1, Integer::sum);
  }

  @Override
  public void registered() {
    registered++;
  }

  @Override
  public void ended(MemberEnd.Cause cause) {
    ended.merge(cause, 1, Integer::sum);
  }

  @Override
  public void excused() {
    excused++;
  }

  @Override
  public void members(int change) {
    members += change;
  }

  @Override
  public void sessions(int change) {
    sessions += change;
  }

  @Override
  public void held(int change) {
    held += change;
  }
}
