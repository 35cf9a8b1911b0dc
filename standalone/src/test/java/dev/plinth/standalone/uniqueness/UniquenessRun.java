package dev.plinth.standalone.uniqueness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.client.PlinthClient;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.GetNamespaceRequest;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.Ledger;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.standalone.PlinthMain;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.Ports;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Takers of all kinds, in several clients, while the server is killed or paused again and again.
 * The seed decides what they do and what goes wrong, not how threads interleave.
 */
final class UniquenessRun implements AutoCloseable {
  private static final int CLIENTS = 2;

  private interface Turn {
    void take(RandomGenerator random) throws InterruptedException;
  }

  private final Path directory;
  private final RandomGenerator random;
  private final int port = Ports.free(1)[0];
  private final ManagedChannel channel =
      ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  private final List<PlinthClient> clients = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> running = new ArrayList<>();
  private final Takers takers = new Takers();
  private JavaProcess server;
  private int faults;

  UniquenessRun(Path directory, long seed) {
    this.directory = directory;
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    startServer();
    define();
  }

  private void startServer() {
    server = JavaProcess.start(directory, PlinthMain.class, "--port=" + port, "--admin-port=0");
    server.awaitLine("is ready");
    channel.resetConnectBackoff();
  }

  private void define() {
    put(
        Takers.DENSE,
        Definition.newBuilder()
            .setFormat(Format.FORMAT_DENSE)
            .setMinRange(100)
            .setMaxRange(50_000)
            .setRangeTtl(Durations.fromSeconds(20)));
    put(
        Takers.FLAKES,
        Definition.newBuilder()
            .setFormat(Format.FORMAT_SNOWFLAKE)
            .setWorkerTtl(Durations.fromSeconds(3))
            .setLayout(
                Layout.newBuilder()
                    .setEpochMs(1_735_689_600_000L)
                    .setTimeBits(41)
                    .setWorkerBits(5)
                    .setSequenceBits(17)));
  }

  private void put(String name, Definition.Builder definition) {
    IdServiceGrpc.newBlockingStub(channel)
        .putNamespace(
            PutNamespaceRequest.newBuilder().setNamespace(name).setDefinition(definition).build());
  }

  void start() {
    run(random -> takers.allocate(channel, Takers.DENSE, random));
    run(random -> takers.allocate(channel, Takers.FLAKES, random));
    for (int i = 0; i < CLIENTS; i++) {
      PlinthClient client =
          PlinthClient.builder("127.0.0.1:" + port).callDeadline(Duration.ofMillis(700)).build();
      clients.add(client);
      run(random -> takers.range(client, random));
      run(random -> takers.range(client, random));
      run(random -> takers.flake(client, random));
      run(random -> takers.flake(client, random));
    }
  }

  private void run(Turn turn) {
    RandomGenerator own = RandomGeneratorFactory.of("L64X128MixRandom").create(random.nextLong());
    running.add(
        threads.submit(
            () -> {
              while (!takers.hasEnded()) {
                turn.take(own);
              }
              return null;
            }));
  }

  /** Until this much more was taken, of both kinds. */
  void work(long denseIds, long flakeIds) {
    long dense = takers.dense().count() + denseIds;
    long flakes = takers.flakes().count() + flakeIds;
    Await.until(
        "more ids",
        () -> failed() || takers.dense().count() >= dense && takers.flakes().count() >= flakes);
    rethrow();
  }

  private boolean failed() {
    return running.stream().anyMatch(taker -> taker.isDone() && !takers.hasEnded());
  }

  private void rethrow() {
    for (Future<?> taker : running) {
      if (taker.isDone()) {
        try {
          taker.get();
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  /** Mostly kills; a pause is long enough for worker ids to run out. */
  void strike() {
    faults++;
    if (random.nextInt(3) > 0) {
      server.kill();
      server.close();
      startServer();
    } else {
      server.signal("STOP");
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextLong(500, 5000));
      while (System.nanoTime() - end < 0) {
        LockSupport.parkNanos(end - System.nanoTime());
      }
      server.signal("CONT");
    }
  }

  /** Everybody gives back what is left; then the books must be right. */
  void finish() throws InterruptedException {
    takers.end();
    threads.shutdown();
    assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    rethrow();
    NamespaceStatus status =
        IdServiceGrpc.newBlockingStub(channel)
            .withWaitForReady()
            .withDeadlineAfter(30, TimeUnit.SECONDS)
            .getNamespace(GetNamespaceRequest.newBuilder().setNamespace(Takers.DENSE).build())
            .getStatus();
    Ledger ledger = status.getLedger();
    assertEquals(
        status.getNext() - 1,
        ledger.getIssued() + ledger.getWasted() + ledger.getOutstanding(),
        ledger::toString);
    assertTrue(takers.dense().count() < status.getNext());
  }

  @Override
  public String toString() {
    return "%d dense ids, %d snowflakes, %d faults, none twice"
        .formatted(takers.dense().count(), takers.flakes().count(), faults);
  }

  @Override
  public void close() {
    takers.end();
    threads.shutdownNow();
    clients.forEach(PlinthClient::close);
    channel.shutdownNow();
    server.close();
  }
}
