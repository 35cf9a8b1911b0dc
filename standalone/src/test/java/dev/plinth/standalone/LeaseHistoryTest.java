package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.HoldChecker;
import dev.plinth.testkit.HoldChecker.Hold;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * V1 and V2 over what clients saw: while server processes are killed, paused and started again, no
 * key has two holders and tokens rise in real time. Every client sends a call again, with its
 * request id, until it is answered.
 */
class LeaseHistoryTest {
  private static final int CLIENTS = 6;
  private static final int KEYS = 3;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MOST_HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  @TempDir Path folder;
  private final List<ManagedChannel> channels = new CopyOnWriteArrayList<>();
  private final List<JavaProcess> nodes = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final List<Hold> holds = new CopyOnWriteArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();
  private volatile boolean over;

  @AfterEach
  void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    nodes.forEach(JavaProcess::close);
  }

  @Test
  void embeddedServer_killedAgainAndAgain() throws Exception {
    startEmbedded(0);
    whileClientsWork(
        () -> {
          for (int round = 0; round < 3; round++) {
            awaitMore(60);
            nodes.get(0).kill();
            startEmbedded(0);
          }
          awaitMore(60);
        });
  }

  @Test
  void twoNodesOnEtcd_killedAndPausedInTurn() throws Exception {
    startOnEtcd(0);
    startOnEtcd(1);
    whileClientsWork(
        () -> {
          awaitMore(60);
          nodes.get(0).kill();
          startOnEtcd(0);
          awaitMore(60);
          nodes
              .get(1)
              .signal("STOP"); // the owner by now; it must not speak for its shards when it wakes
          awaitMore(60);
          nodes.get(1).signal("CONT");
          awaitMore(60);
        });
  }

  private interface Nemesis {
    void run() throws Exception;
  }

  private void whileClientsWork(Nemesis nemesis) throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    CountDownLatch ended = new CountDownLatch(CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      clients.execute(
          () -> {
            try {
              work(client);
            } catch (RuntimeException e) {
              failures.add(e);
            } finally {
              ended.countDown();
            }
          });
    }
    try {
      nemesis.run();
    } finally {
      over = true;
      assertTrue(ended.await(90, TimeUnit.SECONDS), "clients end");
      clients.shutdownNow();
    }
    assertEquals(List.of(), List.copyOf(failures));
    HoldChecker.check(new ArrayList<>(holds));
  }

  private void awaitMore(int more) {
    int enough = holds.size() + more;
    Await.until(more + " more holds", () -> holds.size() >= enough || !failures.isEmpty());
    assertEquals(List.of(), List.copyOf(failures), nodes.get(0).output());
  }

  private void work(int client) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(client);
    String owner = "client" + client;
    while (!over) {
      String key = "key" + random.nextInt(KEYS);
      AcquireRequest request =
          AcquireRequest.newBuilder()
              .setKey(key)
              .setOwnerId(owner)
              .setTtl(Durations.fromMinutes(10))
              .setWait(Durations.fromMillis(500))
              .setRequestId("a" + requests.incrementAndGet())
              .build();
      long asked = System.nanoTime();
      Optional<AcquireResponse> answer = untilAnswered(client, stub -> stub.acquire(request));
      long granted = System.nanoTime();
      if (answer.isPresent() && answer.get().getOutcome() == Outcome.OUTCOME_GRANTED) {
        long token = answer.get().getLease().getToken();
        LockSupport.parkNanos(random.nextLong(MOST_HOLD_NANOS)); // long enough to be caught at it
        long releaseAsked = System.nanoTime();
        holds.add(new Hold(key, owner, token, asked, granted, releaseAsked));
        ReleaseRequest release =
            ReleaseRequest.newBuilder()
                .setKey(key)
                .setToken(token)
                .setRequestId("r" + requests.incrementAndGet())
                .build();
        untilAnswered(client, stub -> stub.release(release));
      }
    }
  }

  /** Goes from node to node with the same request; empty if none answers in the end. */
  private <R> Optional<R> untilAnswered(int client, Function<LeaseServiceBlockingStub, R> call) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    for (int attempt = client; System.nanoTime() - end < 0; attempt++) {
      ManagedChannel channel = channels.get(attempt % channels.size());
      try {
        return Optional.of(
            call.apply(
                LeaseServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(1500, TimeUnit.MILLISECONDS)));
      } catch (StatusRuntimeException e) {
        boolean again =
            e.getStatus().getCode() == Status.Code.UNAVAILABLE
                || e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED
                || e.getStatus().getCode() == Status.Code.CANCELLED
                || e.getStatus().getCode()
                    == Status.Code.UNKNOWN; // the connection broke in a write
        if (!again) {
          throw e;
        }
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
    return Optional.empty();
  }

  private void startEmbedded(int node) {
    start(node, "--data-dir=node" + node);
  }

  private void startOnEtcd(int node) {
    start(
        node,
        "--coordination=etcd://" + ETCD.hostPorts(),
        "--etcd.prefix=/history/",
        "--etcd.session-ttl=3s",
        "--etcd.authority-margin=500ms",
        "--etcd.request-timeout=1s");
  }

  private void start(int node, String... flags) {
    String[] all = new String[flags.length + 2];
    all[0] = "--port=0";
    all[1] = "--admin-port=0";
    System.arraycopy(flags, 0, all, 2, flags.length);
    JavaProcess plinth = JavaProcess.start(folder, PlinthMain.class, all);
    int port = Integer.parseInt(plinth.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    if (node < nodes.size()) {
      channels.set(node, channel).shutdownNow();
      nodes.set(node, plinth).close();
    } else {
      nodes.add(plinth);
      channels.add(channel);
    }
  }
}
