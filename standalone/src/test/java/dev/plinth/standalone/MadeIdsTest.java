package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.HoldChecker;
import dev.plinth.testkit.HoldChecker.Hold;
import dev.plinth.testkit.JavaProcess;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * I4 and I5 with whole processes: three share one worker id, and are stopped for half to three
 * times its ttl. No two make ids with it at the same time, and what they make does not overlap.
 */
class MadeIdsTest {
  private static final int MAKERS = 3;
  private static final int PAUSES = 3;
  private static final long TTL_MILLIS = 500;

  /** Ids that a process made without a break. */
  private record Stretch(long first, long last, long asked, long granted, long believed) {
    Hold hold() {
      return new Hold("worker", "maker", first, asked, granted, believed);
    }
  }

  @TempDir Path directory;
  private final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
  private JavaProcess server;
  private List<JavaProcess> makers = List.of();

  @AfterEach
  void stop() {
    makers.forEach(JavaProcess::close);
    server.close();
  }

  @Test
  void I4_I5_noTwoMakeIdsOfOneWorker_whenProcessesArePaused() {
    server = JavaProcess.start(directory, PlinthMain.class, "--port=0", "--admin-port=0");
    int port = Integer.parseInt(server.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
    define(port);
    makers = IntStream.range(0, MAKERS).mapToObj(i -> start(port, i)).toList();
    makers.forEach(maker -> maker.awaitLine("ready"));
    for (int i = 0; i < PAUSES; i++) {
      awaitMore();
      makers.forEach(this::pause); // the one that has the worker id is among them
      awaitMore();
      pause(server);
    }
    awaitMore();
    check(stretches());
  }

  private static void define(int port) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    IdServiceGrpc.newBlockingStub(channel)
        .putNamespace(
            PutNamespaceRequest.newBuilder()
                .setNamespace("events")
                .setDefinition(
                    Definition.newBuilder()
                        .setFormat(Format.FORMAT_SNOWFLAKE)
                        .setWorkerTtl(millis(TTL_MILLIS))
                        .setMaxAhead(millis(TTL_MILLIS))
                        .setLayout(
                            Layout.newBuilder()
                                .setEpochMs(1_735_689_600_000L)
                                .setTimeBits(41)
                                .setSequenceBits(22)))
                .build());
    channel.shutdownNow();
  }

  private static com.google.protobuf.Duration millis(long count) {
    return com.google.protobuf.util.Durations.fromMillis(count);
  }

  private JavaProcess start(int port, int seed) {
    return JavaProcess.start(
        directory, Maker.class, "127.0.0.1:" + port, "events", "" + TTL_MILLIS, "" + seed);
  }

  private void pause(JavaProcess process) {
    process.signal("STOP");
    long millis = (long) (TTL_MILLIS * random.nextDouble(0.5, 3));
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    process.signal("CONT");
  }

  private void awaitMore() {
    int enough = stretches().size() + MAKERS;
    Await.until("more ids", () -> stretches().size() >= enough);
  }

  private List<Stretch> stretches() {
    return makers.stream()
        .flatMap(maker -> maker.output().lines())
        .filter(line -> line.startsWith("made "))
        .map(line -> Stream.of(line.split(" ")).skip(1).mapToLong(Long::parseLong).toArray())
        .map(n -> new Stretch(n[0], n[1], n[2], n[3], n[4]))
        .toList();
  }

  private static void check(List<Stretch> stretches) {
    HoldChecker.check(stretches.stream().map(Stretch::hold).toList());
    Stretch last = null;
    for (Stretch next :
        stretches.stream().sorted(Comparator.comparingLong(Stretch::first)).toList()) {
      assertTrue(last == null || last.last < next.first, last + "\n" + next);
      last = next;
    }
  }
}
