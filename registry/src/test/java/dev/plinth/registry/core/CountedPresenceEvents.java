package dev.plinth.registry.core;

import java.util.HashMap;
import java.util.Map;

/** Keeps count, for tests. */
final class CountedPresenceEvents implements PresenceEvents {
  final Map<TrackResult.Outcome, Integer> tracked = new HashMap<>();
  final Map<UntrackResult, Integer> untracked = new HashMap<>();
  int told;
  int coalesced;
  int resumed;
  int gaps;
  int cuts;
  int devices;
  int rooms;
  int watchers;

  @Override
  public void tracked(TrackResult.Outcome outcome) {
    tracked.merge(outcome, 1, Integer::sum);
  }

  @Override
  public void untracked(UntrackResult outcome) {
    untracked.merge(outcome, 1, Integer::sum);
  }

  @Override
  public void told(int changes, int merged) {
    told += changes;
    coalesced += merged;
  }

  @Override
  public void resumed(boolean gap) {
    gaps += gap ? 1 : 0;
    resumed += gap ? 0 : 1;
  }

  @Override
  public void cut() {
    cuts++;
  }

  @Override
  public void devices(int change) {
    devices += change;
  }

  @Override
  public void rooms(int change) {
    rooms += change;
  }

  @Override
  public void watchers(int change) {
    watchers += change;
  }
}
