package dev.plinth.bench.lease;

import com.google.protobuf.util.Durations;
import dev.plinth.bench.BenchServer;
import dev.plinth.bench.Echo;
import dev.plinth.bench.Futures;
import dev.plinth.bench.Load;
import dev.plinth.bench.Load.Times;
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
import dev.plinth.shards.store.etcd.EtcdCluster;
import dev.plinth.shards.store.etcd.EtcdSettings;
import dev.plinth.shards.store.etcd.EtcdShardStore;
import dev.plinth.testkit.TestSettings;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
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
    try (BenchServer server = BenchServer.embedded(LEASES, folder.resolve("echo"))) {
      Times warm = new Times(2.5 * PACE.times().warmUp(), 0); // or the first case alone runs cold
      Load.ofCalls(64, warm, caller -> Echo.call(server.channel()));
      measure(LeaseTable.ECHO, caller -> Echo.call(server.channel()));
    }
    try (NaiveEtcd naive = new NaiveEtcd(ETCD.hostPorts())) {
      measure(LeaseTable.NAIVE, naive::cycle);
    }
    ETCD.restart(); // bursts of the case before slow it down
    EtcdSettings settings = TestSettings.read(EtcdSettings.class, "--prefix=/bench/");
    EtcdCluster cluster = new EtcdCluster(List.of(ETCD.hostPorts()), settings);
    try (BenchServer server =
        BenchServer.on(
            LEASES,
            metrics ->
                EtcdShardStore.open(cluster, "bench", BenchServer.SHARDS, metrics.registry()))) {
      measureLeases("etcd", server);
    }
    try (BenchServer server = BenchServer.embedded(LEASES, folder.resolve("db"))) {
      measureLeases("embedded", server);
    }
    new Page("benchmarks.md").put("leases", table.table());
  }

  private void measureLeases(String store, BenchServer server) throws Exception {
    LeaseServiceStub leases = LeaseServiceGrpc.newStub(server.channel());
    tokens.clear(); // another store, other tokens
    String with = "Plinth " + store;
    measure(new Case(with + ", cycles, a key each", 2), caller -> cycle(leases, store, caller));
    measure(new Case(with + ", cycles, 16 namespaces", 2), caller -> spread(leases, caller));
    measure(new Case(with + ", hand-offs of one hot key", 2), caller -> handOff(leases, caller));
    measure(new Case(with + ", renewals", 1), renewals(leases));
  }

  private void measure(Case what, IntFunction<CompletableFuture<?>> operation) throws Exception {
    for (int callers : CALLERS) {
      table.add(what, callers, Load.ofCalls(callers, PACE.times(), operation));
    }
  }

  private CompletableFuture<?> cycle(LeaseServiceStub leases, String store, int caller) {
    return takeAndGiveBack(leases, store, "key" + caller, caller, false);
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
