package dev.plinth.simulation.workload;

import dev.plinth.simulation.cluster.SimulatedNode;
import dev.plinth.simulation.cluster.StoreControl;
import dev.plinth.simulation.network.SimulatedNetwork;
import java.time.Duration;
import java.util.SplittableRandom;

/** Faults between processes, and of the store. */
final class LinkFaults {
  private static final long LONGEST_ELECTION = 5000;
  private static final long USUAL_NANOS = 500_000;
  private static final int MOST_RESETS = 20;

  private final Fault fault;
  private final SplittableRandom random;
  private final SimulatedNetwork network;
  private final StoreControl store;

  LinkFaults(Fault fault) {
    this.fault = fault;
    this.random = fault.random();
    this.network = fault.network();
    this.store = fault.store();
  }

  void strike(FaultKind kind, SimulatedNode node, SimulatedNode peer, String client) {
    switch (kind) {
      case CLIENT_CUT -> cut(client, node.name(), true, true);
      case CLIENT_HALF_CUT -> {
        boolean there = random.nextBoolean();
        cut(client, node.name(), there, !there);
      }
      case CLIENT_RESET -> network.reset(client, node.name());
      case CLIENT_DELAY -> delay(client, node.name());
      case PEER_CUT -> cut(peer.name(), node.name(), true, true);
      case PEER_HALF_CUT -> cut(peer.name(), node.name(), true, false);
      case PEER_DELAY -> delay(peer.name(), node.name());
      case PEER_RESET -> {
        int times = random.nextInt(1, MOST_RESETS);
        for (int i = 0; i < times; i++) {
          fault.later(random.nextLong(2000), () -> network.reset(peer.name(), node.name()));
        }
      }
      default -> disturbStore(kind, node);
    }
  }

  private void disturbStore(FaultKind kind, SimulatedNode node) {
    Duration most = Duration.ofMillis(Math.min(fault.millis(), LONGEST_ELECTION));
    switch (kind) {
      case STORE_CUT -> {
        boolean all = random.nextBoolean();
        boolean requests = random.nextBoolean();
        store.cut(node.name(), all || requests, all || !requests);
        fault.atEnd(() -> store.heal(node.name()));
      }
      case STORE_SLOW -> {
        store.slowDown(fault.nanos(random.nextLong(5, 1500)));
        fault.atEnd(store::heal);
      }
      case STORE_FAULTS -> {
        store.lose(random.nextDouble() * 0.5);
        fault.atEnd(store::heal);
      }
      case ETCD_LEADER -> store.changeLeader(most);
      case ETCD_STALL -> store.stall(most);
      case ETCD_RESTART -> store.restart();
      default -> throw new AssertionError(kind);
    }
  }

  private void cut(String one, String other, boolean there, boolean back) {
    if (there) {
      network.cut(one, other);
      fault.atEnd(() -> network.heal(one, other));
    }
    if (back) {
      network.cut(other, one);
      fault.atEnd(() -> network.heal(other, one));
    }
  }

  private void delay(String one, String other) {
    long most = fault.nanos(random.nextLong(10, 1000));
    network.delay(one, other, most);
    network.delay(other, one, most);
    fault.atEnd(
        () -> {
          network.delay(one, other, USUAL_NANOS);
          network.delay(other, one, USUAL_NANOS);
        });
  }
}
