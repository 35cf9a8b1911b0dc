package dev.plinth.simulation.cluster;

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

  /** Everything arrives again, and soon. */
  void heal();
}
