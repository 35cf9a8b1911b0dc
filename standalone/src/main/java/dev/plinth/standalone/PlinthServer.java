package dev.plinth.standalone;

import dev.plinth.config.ConfigService;
import dev.plinth.config.core.ConfigApp;
import dev.plinth.id.IdService;
import dev.plinth.id.core.IdApp;
import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.RateLimitService;
import dev.plinth.ratelimit.policy.PolicyApp;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.registry.RegistryService;
import dev.plinth.registry.core.RegistryApp;
import dev.plinth.server.DataDirectory;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.Metrics;
import dev.plinth.server.RunningProcess;
import dev.plinth.server.StartRefusedException;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.ShardApp;
import dev.plinth.shards.Shards;
import dev.plinth.shards.grpc.CallForwarder;
import dev.plinth.shards.grpc.ShardList;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** Every service in one process: the composition root. */
public final class PlinthServer implements RunningProcess {
  private final PlinthSettings settings;
  private final Machine machine;
  // In the order they were opened; closed in reverse.
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final ShardStore store;
  private final GrpcHost host;

  private PlinthServer(PlinthSettings settings, Machine machine) {
    this.settings = settings;
    this.machine = machine;
    try {
      Metrics metrics = opened(new Metrics());
      GrpcHost.Builder building = GrpcHost.builder(settings.host(), metrics, machine);
      store = openStore(building, metrics);
      LeaseApp leases = LeaseService.app(machine, metrics.registry());
      IdApp ids = IdService.app(machine.time(), metrics.registry());
      PolicyApp policies = RateLimitService.app(machine.time());
      RegistryApp members = RegistryService.app(machine, metrics.registry());
      ConfigApp configs = ConfigService.app(machine, members, metrics.registry());
      Shards shards = opened(openShards(List.of(leases, ids, policies, members, configs), metrics));
      int callsPerConnection = settings.host().limits().callsPerConnection();
      CallForwarder callForwarder = opened(new CallForwarder(shards, node(), callsPerConnection));
      BudgetStore budgets = openBudgets();
      host =
          opened(
              building
                  .router(callForwarder)
                  .add(LeaseService.on(shards, leases, shards.engine()))
                  .add(IdService.on(shards, ids, shards.engine()))
                  .add(RegistryService.on(shards, members, shards.engine()))
                  .add(ConfigService.on(shards, configs, shards.engine()))
                  .add(
                      RateLimitService.on(
                          shards,
                          policies,
                          budgets,
                          settings.rateLimit(),
                          callForwarder,
                          metrics.registry()))
                  .shards(new ShardList(shards, store))
                  // Only then: the port may be one that the system picked.
                  .afterBind(port -> shards.announce(AdvertisedAddress.address(settings, port)))
                  .start());
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private ShardStore openStore(GrpcHost.Builder building, Metrics metrics) {
    CoordinationTarget where = CoordinationTarget.parse(settings.engines().coordination());
    int shards = settings.shards().count();
    try {
      if (!where.isEmbedded()) {
        EtcdCluster etcd = new EtcdCluster(where.etcd(), settings.etcd());
        return opened(EtcdShardStore.open(etcd, node(), shards, metrics.registry(), machine));
      }
      DataDirectory data =
          opened(DataDirectory.open(settings.engines().dataDir(), machine.time().instant()));
      building.engine(data);
      return opened(
          EmbeddedShardStore.open(
              data.path().resolve("coordination"),
              shards,
              settings.shards().generation(),
              machine));
    } catch (StoreUnavailable e) {
      throw new StartRefusedException(e.getMessage(), e);
    }
  }

  private BudgetStore openBudgets() {
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    ExecutorService answers = machine.workers("plinth-answers", threads);
    opened(answers::shutdown);
    try {
      return opened(BudgetStoreFactory.open(settings, answers, machine));
    } catch (StoreUnavailable e) {
      throw new StartRefusedException(e.getMessage(), e);
    }
  }

  private Shards openShards(List<ShardApp<?>> apps, Metrics metrics) {
    return Shards.open(
        store,
        apps,
        settings.shards(),
        HighWaterMarkFile.of(settings),
        machine,
        metrics.registry());
  }

  private String node() {
    return settings
        .node()
        .node()
        .orElseGet(() -> AdvertisedAddress.hostName() + "/" + ProcessHandle.current().pid());
  }

  private <T extends AutoCloseable> T opened(T part) {
    parts.push(part);
    return part;
  }

  public static PlinthServer start(PlinthSettings settings) {
    return start(settings, Machine.system());
  }

  /**
   * On a machine that is given. One whose time is moved by hand is for embedded engines only: etcd
   * and Redis count their time themselves.
   */
  public static PlinthServer start(PlinthSettings settings, Machine machine) {
    return new PlinthServer(settings, machine);
  }

  public int port() {
    return host.port();
  }

  public int adminPort() {
    return host.adminPort();
  }

  /** Addresses and engines, for the ready line. */
  String summary() {
    String bind = settings.host().bind();
    return "gRPC on %s:%d, admin on http://%s:%d, %s engine in %s, budgets in %s"
        .formatted(bind, port(), bind, adminPort(), store.kind(), store.location(), budgets());
  }

  private String budgets() {
    String budgets = settings.engines().budgets();
    return budgets.equals("embedded") ? "this process" : budgets;
  }

  @Override
  public Duration closeAtMost() {
    return settings.host().drain().atMost();
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        // The parts below it must still be closed.
        System.getLogger("plinth.main").log(System.Logger.Level.ERROR, "unclean end", e);
      }
    }
  }
}
