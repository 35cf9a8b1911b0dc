package dev.plinth.simulation.store.etcd;

import com.google.protobuf.MessageLite;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdConnections;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.shards.store.etcd.TxnSender;
import dev.plinth.simulation.cluster.StoreControl;
import dev.plinth.simulation.cluster.StoreFactory;
import dev.plinth.simulation.etcd.EtcdFaults;
import dev.plinth.simulation.etcd.EtcdLinkState;
import dev.plinth.simulation.etcd.EtcdModel;
import dev.plinth.simulation.etcd.EtcdModelSettings;
import dev.plinth.simulation.etcd.SimulatedEtcd;
import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.testkit.TestSettings;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** The model of etcd for a cluster: opens the real adapter over it, and disturbs it. */
public final class EtcdStoreControl implements StoreControl, StoreFactory {
  private static final Duration USUAL = Duration.ofMillis(2);
  private static final long USUAL_MARGIN = 200;

  private final SimulatedEtcd etcd;
  private final SplittableRandom random;
  private final EtcdSettings settings;
  private final int shards;
  private double lost;
  private Duration delay = USUAL;

  public EtcdStoreControl(
      Simulation simulation, int shards, int sessionSeconds, int commitsInFlight) {
    this.shards = shards;
    this.random = simulation.random("etcd control");
    // The world never pauses and has no cost: what happens at etcd happens on time.
    SimulatedMachine machine = new SimulatedMachine(simulation.world(), "etcd");
    EtcdModel model =
        new EtcdModel(EtcdModelSettings.DEFAULT, machine.nanos(), simulation.random("etcd model"));
    etcd =
        new SimulatedEtcd(
            model, machine.nanos(), machine.scheduler("etcd"), simulation.random("etcd network"));
    settings =
        TestSettings.read(
            EtcdSettings.class,
            "--session-ttl=" + sessionSeconds + "s",
            "--authority-margin=" + margin(sessionSeconds) + "ms",
            "--request-timeout=1s",
            "--commits-in-flight=" + commitsInFlight);
  }

  /** The usual one, or more: then a node falls silent long before its session ends. */
  private long margin(int sessionSeconds) {
    return random.nextBoolean()
        ? USUAL_MARGIN
        : random.nextLong(USUAL_MARGIN, sessionSeconds * 500);
  }

  @Override
  public ShardStore open(SimulatedMachine machine, MeterRegistry registry) {
    return EtcdShardStore.open(
        new EtcdCluster(List.of("etcd:1"), settings),
        machine.process().name(),
        shards,
        registry,
        machine,
        connections(machine));
  }

  private EtcdConnections connections(SimulatedMachine machine) {
    ScheduledExecutorService events = machine.scheduler("jetcd");
    String name = machine.process().name();
    return new EtcdConnections() {
      @Override
      public Client client(List<String> members, Duration timeout) {
        return etcd.connect(name, events, timeout).client();
      }

      @Override
      public TxnSender txns(List<String> members, Duration timeout) {
        return new EtcdTxns(etcd.connect(name, events, timeout));
      }
    };
  }

  @Override
  public void cut(String node, boolean requests, boolean answers) {
    EtcdLinkState state =
        requests
            ? random.nextInt(3) == 0 ? EtcdLinkState.REFUSED : EtcdLinkState.SILENT
            : EtcdLinkState.ANSWERS_LOST;
    etcd.setLink(node, state);
  }

  @Override
  public void heal(String node) {
    etcd.setLink(node, EtcdLinkState.OPEN);
  }

  @Override
  public void slowDown(long nanos) {
    delay = Duration.ofNanos(Math.max(nanos, USUAL.toNanos()));
    apply();
  }

  @Override
  public void lose(double share) {
    lost = share;
    apply();
  }

  private void apply() {
    etcd.setFaults(
        EtcdFaults.rates(lost / 4, lost / 4, lost / 4, lost / 4)
            .withDelay(Duration.ofNanos(500_000), delay));
  }

  @Override
  public void changeLeader(Duration election) {
    etcd.changeLeader(election);
  }

  @Override
  public void stall(Duration time) {
    etcd.stall(time);
  }

  @Override
  public void restart() {
    etcd.restart();
  }

  @Override
  public void holdCommit(String node, Consumer<Runnable> held) {
    etcd.holdNext(node, EtcdStoreControl::isCommit, held);
  }

  @Override
  public void holdLoad(String node, Consumer<Runnable> held) {
    etcd.holdNext(node, EtcdStoreControl::isLoad, held);
  }

  private static boolean isLoad(MessageLite request) {
    return request instanceof TxnRequest txn
        && txn.getSuccessList().stream()
            .anyMatch(op -> op.getRequestRange().getKey().toStringUtf8().contains("/rows/"));
  }

  /** It writes the number of a commit, by itself or within a bundle. */
  private static boolean isCommit(MessageLite request) {
    return request instanceof TxnRequest txn
        && txn.getSuccessList().stream().anyMatch(EtcdStoreControl::isCommit);
  }

  private static boolean isCommit(RequestOp op) {
    return op.hasRequestTxn()
        ? isCommit(op.getRequestTxn())
        : op.hasRequestPut() && op.getRequestPut().getKey().toStringUtf8().contains("/revisions/");
  }

  @Override
  public void heal() {
    lost = 0;
    delay = USUAL;
    apply();
  }
}
