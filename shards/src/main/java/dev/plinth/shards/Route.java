package dev.plinth.shards;

/**
 * Where a call for a shard goes now, as far as this node knows.
 *
 * @param node the owner's name, empty where there is none
 * @param address where it answers, empty unless the shard is elsewhere
 * @param epoch of the ownership, 0 where there is none
 */
public record Route(Way way, String node, String address, long epoch) {
  static final Route NOWHERE = new Route(Way.NOWHERE, "", "", 0);
  static final Route COMING = new Route(Way.COMING, "", "", 0);

  /** The kinds of places. */
  public enum Way {
    /** This node serves the shard. */
    HERE,
    /** This node is about to serve it. */
    COMING,
    /** Another node owns it. */
    ELSEWHERE,
    /** It is between two owners. */
    NOWHERE
  }

  static Route here(long epoch) {
    return new Route(Way.HERE, "", "", epoch);
  }

  static Route elsewhere(String node, String address, long epoch) {
    return new Route(Way.ELSEWHERE, node, address, epoch);
  }
}
