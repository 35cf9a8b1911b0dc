package dev.plinth.registry.core;

/** What happens in rooms, for metrics. Called on the deciding thread: it only counts. */
public interface PresenceEvents {
  void tracked(TrackResult.Outcome outcome);

  void untracked(UntrackResult outcome);

  /**
   * The changes of one window were told.
   *
   * @param coalesced changes that were not told, as later ones took their place or undid them
   */
  void told(int changes, int coalesced);

  /** A watcher went on from where it was, or there was a gap. */
  void resumed(boolean gap);

  /** A watcher was too slow. */
  void cut();

  void devices(int change);

  void rooms(int change);

  void watchers(int change);
}
