package dev.plinth.bench.lease;

import com.google.protobuf.util.Durations;
import dev.plinth.bench.BenchServer;
import dev.plinth.bench.Echo;
import dev.plinth.bench.Futures;
import dev.plinth.bench.Load;
import dev.plinth.bench.Measured;
import dev.plinth.bench.Pace;
import dev.plinth.bench.Page;
import dev.plinth.bench.lease.LeaseTable.Case;
import dev.plinth.lease.LeaseService;
import dev.plinth.lease.core.LeaseApp;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResponse;
import dev.plinth.shards.fixture.Wiring;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.testkit.TestSettings;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Leases end to end over gRPC beside a bare echo and the naive way on the same etcd, in one run on
 * one machine: the ratios count. A cycle is a grant and a release; every one is checked to have
 * been granted, with a token above its caller's last.
 */
@Tag("lease")
class LeaseBench {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  private static final Wiring<LeaseApp> LEASES = new Wiring<>(LeaseService::app, LeaseService::on);
  private static final int[] CALLERS = {1, 8, 64, 512};
  private static final Pace PACE = Pace.of(1, 2, 4);

  @TempDir Path folder;
  private final LeaseTable table = new LeaseTable();
  private final Map<String, Long> tokens = new ConcurrentHashMap<>();

  @Test
  void leases() throws Exception {
    warmUp();
    try (BenchServer server = BenchServer.embedded(LEASES, folder.resolve("echo"))) {
      measure(LeaseTable.ECHO, caller -> Echo.call(server.channel()));
    }
    try (NaiveEtcd naive = new NaiveEtcd(ETCD.hostPorts())) {
      measure(LeaseTable.NAIVE, naive::cycle);
    }
    ETCD.restart(); // what the cases before left there slows it down
    measureStore("etcd", this::etcd);
    measureStore(
        "embedded", part -> EmbeddedShardStore.open(folder.resolve(part), BenchServer.SHARDS));
    Page page = new Page("benchmarks.md");
    page.put("leases", table.table());
    page.put("aims", table.aims());
  }

  /** Compiles everybody's code before anybody's time is taken. */
  private void warmUp() throws Exception {
    try (BenchServer server = BenchServer.on(LEASES, metrics -> etcd("warm"));
        NaiveEtcd naive = new NaiveEtcd(ETCD.hostPorts())) {
      LeaseServiceStub leases = LeaseServiceGrpc.newStub(server.channel());
      Load.warmUp(
          64,
          List.of(
              caller -> Echo.call(server.channel()),
              naive::cycle,
              caller -> cycle(leases, "warm", caller),
              caller -> handOff(leases, caller)));
    }
    tokens.clear();
  }

  private ShardStore etcd(String part) {
    EtcdSettings settings = TestSettings.read(EtcdSettings.class, "--prefix=/" + part + "/");
    EtcdCluster cluster = new EtcdCluster(List.of(ETCD.hostPorts()), settings);
    return EtcdShardStore.open(cluster, "bench", BenchServer.SHARDS, new SimpleMeterRegistry());
  }

  private void measureStore(String name, Function<String, ShardStore> open) throws Exception {
    try (ShardStore store = open.apply("commits")) {
      StoreCommits commits = new StoreCommits(store);
      Measured result = Load.ofCalls(1, PACE.times(), caller -> commits.next());
      table.add(Case.commits(name), 1, result, 0);
    }
    try (BenchServer server = BenchServer.on(LEASES, metrics -> open.apply("leases"))) {
      measureLeases(name, server);
    }
  }

  private void measureLeases(String store, BenchServer server) throws Exception {
    LeaseServiceStub leases = LeaseServiceGrpc.newStub(server.channel());
    tokens.clear(); // another store, other tokens
    measure(
        Case.cycles(store, "a key each"), server::commits, caller -> cycle(leases, "each", caller));
    measure(Case.cycles(store, "16 namespaces"), server::commits, caller -> spread(leases, caller));
    measure(Case.handOffs(store), server::commits, caller -> handOff(leases, caller));
    measure(Case.renewals(store), server::commits, renewals(leases));
  }

  private void measure(Case what, IntFunction<CompletableFuture<?>> operation) throws Exception {
    measure(what, () -> 0, operation);
  }

  private void measure(Case what, LongSupplier commits, IntFunction<CompletableFuture<?>> operation)
      throws Exception {
    for (int callers : CALLERS) {
      long before = commits.getAsLong();
      Measured result = Load.ofCalls(callers, PACE.times(), operation);
      table.add(what, callers, result, commits.getAsLong() - before);
    }
  }

  private CompletableFuture<?> cycle(LeaseServiceStub leases, String namespace, int caller) {
    return takeAndGiveBack(leases, namespace, "key" + caller, caller, false);
  }

  private CompletableFuture<?> spread(LeaseServiceStub leases, int caller) {
    return takeAndGiveBack(leases, "ns" + caller % 16, "key" + caller, caller, false);
  }

  private CompletableFuture<?> handOff(LeaseServiceStub leases, int caller) {
    return takeAndGiveBack(leases, "hot", "one", caller, true);
  }

  private CompletableFuture<?> takeAndGiveBack(
      LeaseServiceStub leases, String namespace, String key, int caller, boolean wait) {
    AcquireRequest.Builder request =
        AcquireRequest.newBuilder().setNamespace(namespace).setKey(key).setOwnerId("c" + caller);
    if (wait) {
      request.setWait(Durations.fromSeconds(25));
    }
    return Futures.<AcquireResponse>of(answer -> leases.acquire(request.build(), answer))
        .thenCompose(
            granted -> {
              check(granted, namespace + "/" + caller);
              ReleaseRequest release =
                  ReleaseRequest.newBuilder()
                      .setNamespace(namespace)
                      .setKey(key)
                      .setToken(granted.getLease().getToken())
                      .build();
              return Futures.<ReleaseResponse>of(answer -> leases.release(release, answer));
            });
  }

  private void check(AcquireResponse granted, String caller) {
    long token = granted.getLease().getToken();
    if (granted.getOutcome() != Outcome.OUTCOME_GRANTED) {
      throw new IllegalStateException("not granted: " + granted);
    }
    Long before = tokens.put(caller, token);
    if (before != null && before >= token) {
      throw new IllegalStateException("token " + token + " after " + before);
    }
  }

  private static IntFunction<CompletableFuture<?>> renewals(LeaseServiceStub leases) {
    Map<Integer, CompletableFuture<AcquireResponse>> held = new ConcurrentHashMap<>();
    return caller ->
        held.computeIfAbsent(
                caller,
                c ->
                    Futures.of(
                        answer ->
                            leases.acquire(
                                AcquireRequest.newBuilder()
                                    .setNamespace("renew")
                                    .setKey("r" + c)
                                    .setOwnerId("c" + c)
                                    .setTtl(Durations.fromMinutes(30))
                                    .build(),
                                answer)))
            .thenCompose(
                lease ->
                    Futures.<RenewResponse>of(
                        answer ->
                            leases.renew(
                                RenewRequest.newBuilder()
                                    .setNamespace("renew")
                                    .addItems(
                                        RenewItem.newBuilder()
                                            .setKey("r" + caller)
                                            .setToken(lease.getLease().getToken()))
                                    .build(),
                                answer)));
  }
}
