package dev.plinth.standalone.history;

import dev.plinth.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** What goes wrong, for a while. Each ends with everything running again. */
enum Fault {
  SERVER_KILLED(false) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      cluster.node(node).kill();
      cluster.node(node).restart();
    }
  },
  SERVER_PAUSED(false) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      cluster.node(node).pause();
      lastPastSession(cluster, random);
      cluster.node(node).resume();
    }
  },
  CLIENTS_CUT(false) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      network(cluster, node, FaultProxy::cut, random);
    }
  },
  CLIENTS_SLOW(false) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      Duration by = Duration.ofMillis(random.nextLong(10, 60));
      network(cluster, node, proxy -> proxy.delay(by), random);
    }
  },
  REPLIES_LOST(false) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      network(cluster, node, proxy -> proxy.drop(FaultProxy.Direction.TO_CLIENT), random);
    }
  },
  ETCD_KILLED(true) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      cluster.etcd().kill();
      last(Duration.ofMillis(random.nextLong(1000)));
      cluster.etcd().restart();
    }
  },
  ETCD_PAUSED(true) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      cluster.etcd().pause();
      lastPastSession(cluster, random);
      cluster.etcd().resume();
    }
  },
  /** What a node sent to etcd arrives when the node's time may long be over. */
  STORE_SILENT(true) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      cluster.node(node).toStore().halfOpen();
      lastPastSession(cluster, random);
      cluster.node(node).toStore().heal();
    }
  },
  STORE_CUT(true) {
    @Override
    void strike(Cluster cluster, int node, RandomGenerator random) {
      cluster.node(node).toStore().cut();
      lastPastSession(cluster, random);
      cluster.node(node).toStore().heal();
    }
  };

  private final boolean needsEtcd;

  Fault(boolean needsEtcd) {
    this.needsEtcd = needsEtcd;
  }

  abstract void strike(Cluster cluster, int node, RandomGenerator random);

  /** Different ones, as many as asked for if there are, in an order that the seed decides. */
  static List<Fault> choose(int count, boolean onEtcd, RandomGenerator random) {
    List<Fault> left =
        new ArrayList<>(Arrays.stream(values()).filter(f -> onEtcd || !f.needsEtcd).toList());
    List<Fault> chosen = new ArrayList<>();
    while (chosen.size() < count && !left.isEmpty()) {
      chosen.add(left.remove(random.nextInt(left.size())));
    }
    return chosen;
  }

  private static void network(
      Cluster cluster, int node, Consumer<FaultProxy> fault, RandomGenerator random) {
    fault.accept(cluster.node(node).toClients());
    last(Duration.ofMillis(random.nextLong(200, 1500)));
    cluster.node(node).toClients().heal();
    cluster.node(node).channel().resetConnectBackoff();
  }

  /** Half to three times as long as it takes until others act. */
  private static void lastPastSession(Cluster cluster, RandomGenerator random) {
    last(Duration.ofMillis((long) (cluster.patience().toMillis() * random.nextDouble(0.5, 3))));
  }

  /** A load, not a wait for something. */
  private static void last(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
