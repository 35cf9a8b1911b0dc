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
  SLOW,
  WALL_STEP,
  DRIFT,
  CLIENT_CUT,
  CLIENT_HALF_CUT,
  CLIENT_RESET,
  CLIENT_DELAY,
  PEER_CUT,
  PEER_HALF_CUT,
  PEER_DELAY,
  STORE_CUT,
  STORE_SLOW,
  STORE_FAULTS,
  ETCD_LEADER,
  ETCD_STALL,
  ETCD_RESTART;

  private boolean needsEtcd() {
    return this == ETCD_LEADER || this == ETCD_STALL || this == ETCD_RESTART;
  }

  boolean needsPeers() {
    return this == PEER_CUT || this == PEER_HALF_CUT || this == PEER_DELAY;
  }

  /**
   * @param engine for what only some engines have
   */
  static Set<FaultKind> draw(
      SplittableRandom random, SplittableRandom engine, SwarmOptions.ServerOptions servers) {
    Set<FaultKind> drawn = EnumSet.noneOf(FaultKind.class);
    Arrays.stream(values())
        .filter(kind -> (kind.needsEtcd() ? engine : random).nextBoolean())
        .filter(kind -> servers.nodes() > 1 || !kind.needsPeers())
        .filter(kind -> servers.etcd() || !kind.needsEtcd())
        .forEach(drawn::add);
    return drawn;
  }
}
