package dev.plinth.bench.registry;

import com.google.protobuf.FieldMask;
import dev.plinth.bench.Futures;
import dev.plinth.bench.Millis;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.Endpoint;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegisterResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.RegistryServiceGrpc.RegistryServiceBlockingStub;
import dev.plinth.registry.v1.RegistryServiceGrpc.RegistryServiceStub;
import dev.plinth.registry.v1.UpdateMemberRequest;
import dev.plinth.standalone.PlinthMain;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.EngineNode;
import dev.plinth.testkit.engine.Ports;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** One Plinth process with default settings on etcd; CPU is that of both. */
final class PlinthMembers implements MemberSystem {
  static final Duration TTL = Duration.ofSeconds(15);
  static final String WATCHED = "watched";
  private static final int NAMESPACES = 10;
  private static final int AT_ONCE = 512;
  private static final String CHANGING = "m-0";

  private final EngineNode etcd;
  private final int[] ports = Ports.free(2);
  private final JavaProcess process;
  private final ManagedChannel channel;
  private final RegistryServiceStub stub;
  private final RegistryServiceBlockingStub blocking;
  private final ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();
  private final List<BeatRequest> sessions = new CopyOnWriteArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicInteger next = new AtomicInteger();
  private final Millis beatMillis = new Millis();
  private PlinthWatchers watchers;
  private long incarnation;
  private int weight = 100;

  PlinthMembers(Path directory, EngineNode etcd) {
    this.etcd = etcd;
    process =
        JavaProcess.start(
            directory,
            List.of("-Xmx2g"),
            PlinthMain.class,
            "--port=" + ports[0],
            "--admin-port=" + ports[1],
            "--data-dir=data",
            "--coordination=etcd://" + etcd.hostPort());
    process.awaitLine("is ready");
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", ports[0])
            .usePlaintext()
            .directExecutor()
            .build();
    stub = RegistryServiceGrpc.newStub(channel);
    blocking = RegistryServiceGrpc.newBlockingStub(channel);
  }

  @Override
  public void keepAlive(int count, int membersEach) throws Exception {
    Semaphore free = new Semaphore(AT_ONCE);
    for (int i = 0; i < count; i++) {
      String namespace = "bench-" + i % NAMESPACES;
      BeatRequest session = open(namespace);
      sessions.add(session);
      if (i == 0) {
        long each = TTL.dividedBy(3L * count).toNanos();
        beats.scheduleAtFixedRate(this::beat, each, each, TimeUnit.NANOSECONDS);
      }
      for (int member = 0; member < membersEach; member++) {
        register(session, "g", "m-" + i + "-" + member, free);
      }
    }
    awaitAll(free);
  }

  private BeatRequest open(String namespace) {
    OpenSessionResponse session =
        blocking.openSession(
            OpenSessionRequest.newBuilder()
                .setNamespace(namespace)
                .setClient("bench")
                .setRequestId(UUID.randomUUID().toString())
                .build());
    return BeatRequest.newBuilder()
        .setNamespace(namespace)
        .setSessionId(session.getSessionId())
        .setIncarnation(session.getIncarnation())
        .build();
  }

  private CompletableFuture<RegisterResponse> register(
      BeatRequest session, String group, String name, Semaphore free) throws InterruptedException {
    free.acquire();
    RegisterRequest request =
        RegisterRequest.newBuilder()
            .setNamespace(session.getNamespace())
            .setGroup(group)
            .setName(name)
            .setSessionId(session.getSessionId())
            .setSessionIncarnation(session.getIncarnation())
            .putLabels("zone", "a")
            .addEndpoints(Endpoint.newBuilder().setName("grpc").setAddress("10.0.0.7:8080"))
            .setRequestId(UUID.randomUUID().toString())
            .build();
    return Futures.<RegisterResponse>of(to -> stub.register(request, to))
        .whenComplete(
            (answer, thrown) -> {
              fail(thrown);
              free.release();
            });
  }

  private void awaitAll(Semaphore free) throws InterruptedException {
    free.acquire(AT_ONCE);
    check();
  }

  private void fail(Throwable thrown) {
    if (thrown != null) {
      failure.compareAndSet(null, thrown);
    }
  }

  private void check() {
    if (failure.get() != null) {
      throw new IllegalStateException("a call failed", failure.get());
    }
  }

  private void beat() {
    BeatRequest session = sessions.get(Math.floorMod(next.getAndIncrement(), sessions.size()));
    long from = System.nanoTime();
    Futures.<BeatResponse>of(to -> stub.beat(session, to))
        .whenComplete(
            (answer, thrown) -> {
              fail(thrown);
              synchronized (beatMillis) {
                beatMillis.add((System.nanoTime() - from) / 1e6);
              }
            });
  }

  /** What beats took since the last time that this was asked. */
  double beatMillis(double percent) {
    check();
    synchronized (beatMillis) {
      double millis = beatMillis.percentile(percent);
      beatMillis.clear();
      return millis;
    }
  }

  /** How often its shards have written to the store. */
  double commits() throws Exception {
    URI metrics = URI.create("http://127.0.0.1:" + ports[1] + "/metrics");
    String page =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
            .body();
    double commits =
        page.lines()
            .filter(line -> line.startsWith("plinth_shards_commit_seconds_count"))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
            .sum();
    if (commits == 0) {
      throw new IllegalStateException("registrations made no commits:\n" + page);
    }
    return commits;
  }

  @Override
  public double cpuSeconds() {
    return CpuTime.seconds(process.pid(), etcd.pid().orElseThrow());
  }

  @Override
  public void fill(int members) throws Exception {
    BeatRequest session = open(WATCHED);
    sessions.add(session);
    Semaphore free = new Semaphore(AT_ONCE);
    for (int i = 0; i < members; i++) {
      CompletableFuture<RegisterResponse> made = register(session, "g", "m-" + i, free);
      if (i == 0) {
        incarnation = made.get().getMember().getIncarnation();
      }
    }
    awaitAll(free);
  }

  @Override
  public void watch(int count) throws Exception {
    watchers = new PlinthWatchers(ports[0], count, CHANGING);
    watchers.awaitSnapshots();
  }

  @Override
  public void cutWatches() {
    watchers.close();
  }

  @Override
  public void change(Arrivals arrivals) {
    watchers.expect(arrivals, ++weight);
    blocking.updateMember(
        UpdateMemberRequest.newBuilder()
            .setNamespace(WATCHED)
            .setGroup("g")
            .setName(CHANGING)
            .setIncarnation(incarnation)
            .setUpdateMask(FieldMask.newBuilder().addPaths("weight"))
            .setWeight(weight)
            .setRequestId(UUID.randomUUID().toString())
            .build());
  }

  @Override
  public void close() {
    beats.shutdownNow();
    if (watchers != null) {
      watchers.close();
    }
    channel.shutdownNow();
    process.close();
  }
}
