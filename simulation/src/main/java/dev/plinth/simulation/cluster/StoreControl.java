package dev.plinth.simulation.cluster;

import java.time.Duration;

/** What can be done to the store of a cluster, and to the ways there. */
public interface StoreControl {
  /**
   * Nothing passes between a node and the store, or only in one direction.
   *
   * @param requests whether the node's requests are held back
   * @param answers whether the store's answers are
   */
  void cut(String node, boolean requests, boolean answers);

  void heal(String node);

  /** All requests take up to so long. */
  void slowDown(long nanos);

  /** This share of requests is lost, and as many answers. */
  void lose(double share);

  /** There is no leader for so long. */
  default void changeLeader(Duration election) {
    throw new UnsupportedOperationException("no leader");
  }

  /** Nothing is answered for so long. */
  default void stall(Duration time) {
    throw new UnsupportedOperationException("no stall");
  }

  /** All members start again. */
  default void restart() {
    throw new UnsupportedOperationException("no restart");
  }

  /** Everything arrives again, and soon. */
  void heal();
}
