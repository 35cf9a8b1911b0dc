package dev.plinth.simulation.cluster;

import dev.plinth.simulation.network.SimulatedNetwork;

/** Disturbs the store that has no engine. */
public final class MemoryStoreControl implements StoreControl {
  private final SimulatedNetwork network;
  private final StoreFaults faults;

  public MemoryStoreControl(SimulatedNetwork network, StoreFaults faults) {
    this.network = network;
    this.faults = faults;
  }

  @Override
  public void cut(String node, boolean requests, boolean answers) {
    if (requests) {
      network.cut(node, MemoryStoreEngine.COMPUTER);
    }
    if (answers) {
      network.cut(MemoryStoreEngine.COMPUTER, node);
    }
  }

  @Override
  public void heal(String node) {
    network.heal(node, MemoryStoreEngine.COMPUTER);
    network.heal(MemoryStoreEngine.COMPUTER, node);
  }

  @Override
  public void slowDown(long nanos) {
    faults.delay(nanos);
  }

  @Override
  public void lose(double share) {
    faults.lose(share, share);
  }

  @Override
  public void heal() {
    faults.heal();
  }
}
