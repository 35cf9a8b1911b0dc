package dev.plinth.registry.core;

/** What happens to members, for metrics. Called on the deciding thread: it only counts. */
public interface RegistryEvents {
  /** A beat came: of an open session, or of none. */
  void beat(boolean known);

  /** A session came into a state: SUSPECT, or ALIVE again. */
  void sessionBecame(MemberState state);

  void registered();

  /** A member ended. */
  void ended(MemberEnd.Cause cause);

  /** A timer was so late that the time was given back to a session. */
  void excused();

  void members(int change);

  void sessions(int change);

  /** Members that a mass expiry holds back. */
  void held(int change);
}
