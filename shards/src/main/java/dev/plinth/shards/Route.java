package dev.plinth.shards;

/**
 * Where a call for a shard goes now, as far as this node knows.
 *
 * @param node the owner's name, empty where there is none
 * @param address where it answers, empty unless the shard is elsewhere
 * @param epoch of the ownership, 0 where there is none
 */
public record Route(Location location, String node, String address, long epoch) {
  static final Route NOWHERE = new Route(Location.UNOWNED, "", "", 0);
  static final Route COMING = new Route(Location.OPENING, "", "", 0);

  /** The kinds of places. */
  public enum Location {
    /** This node serves the shard. */
    LOCAL,
    /** This node is about to serve it. */
    OPENING,
    /** Another node owns it. */
    REMOTE,
    /** It is between two owners. */
    UNOWNED
  }

  static Route here(long epoch) {
    return new Route(Location.LOCAL, "", "", epoch);
  }

  static Route elsewhere(String node, String address, long epoch) {
    return new Route(Location.REMOTE, node, address, epoch);
  }
}
