package dev.plinth.simulation.etcd;

/** A backup of a cluster, made by {@link EtcdModel#snapshot}. */
public final class EtcdSnapshot {
  private final EtcdState state;

  EtcdSnapshot(EtcdState state) {
    this.state = state.copy();
  }

  EtcdState state() {
    return state.copy();
  }
}
