package dev.plinth.simulation.cluster;

import java.time.Duration;
import java.util.function.Consumer;

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

  /**
   * The next commit of a node stays on the network until it is let go.
   *
   * @param held hears of it, with what lets it arrive
   */
  default void holdCommit(String node, Consumer<Runnable> held) {
    throw new UnsupportedOperationException("no commits on a network");
  }

  /** The same of the next read of rows, as a node does that loads a shard. */
  default void holdLoad(String node, Consumer<Runnable> held) {
    throw new UnsupportedOperationException("no reads on a network");
  }

  /** Everything arrives again, and soon. */
  void heal();
}
