package dev.plinth.simulation.workload;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/** What can go wrong. */
public enum FaultKind {
  KILL,
  RESTART,
  PAUSE,
  SUSPEND,
  STALL,
  THREAD_STALL,
  SLOW,
  WALL_STEP,
  DRIFT,
  SLOW_LOAD,
  STRAY_COMMIT,
  CLIENT_CUT,
  CLIENT_HALF_CUT,
  CLIENT_RESET,
  CLIENT_DELAY,
  PEER_CUT,
  PEER_HALF_CUT,
  PEER_DELAY,
  PEER_RESET,
  STORE_CUT,
  STORE_SLOW,
  STORE_FAULTS,
  ETCD_LEADER,
  ETCD_STALL,
  ETCD_RESTART;

  private boolean needsEtcd() {
    return this == ETCD_LEADER
        || this == ETCD_STALL
        || this == ETCD_RESTART
        || this == SLOW_LOAD
        || this == STRAY_COMMIT;
  }

  boolean needsPeers() {
    return this == PEER_CUT || this == PEER_HALF_CUT || this == PEER_DELAY || this == PEER_RESET;
  }

  /** While it lasts, a node does not notice that it was deposed. */
  boolean hidesLoss() {
    return this == PAUSE || this == SUSPEND || this == THREAD_STALL;
  }

  /** Of a node alone, not of what is between two. */
  boolean isOfNode() {
    return compareTo(STRAY_COMMIT) <= 0;
  }

  /**
   * @param engine for what only some engines have
   */
  static Set<FaultKind> draw(
      SplittableRandom random, SplittableRandom engine, SwarmOptions.ServerOptions servers) {
    Set<FaultKind> drawn = EnumSet.noneOf(FaultKind.class);
    double density = SwarmOptions.density(random);
    Arrays.stream(values())
        .filter(kind -> (kind.needsEtcd() ? engine : random).nextDouble() < density)
        .filter(kind -> servers.nodes() > 1 || !kind.needsPeers())
        .filter(kind -> servers.etcd() || !kind.needsEtcd())
        .forEach(drawn::add);
    return drawn;
  }
}
