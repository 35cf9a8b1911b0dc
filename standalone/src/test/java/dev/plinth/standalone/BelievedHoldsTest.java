package dev.plinth.standalone;

import dev.plinth.testkit.Await;
import dev.plinth.testkit.HoldChecker;
import dev.plinth.testkit.HoldChecker.Hold;
import dev.plinth.testkit.JavaProcess;
import java.nio.file.Path;
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
 * V3: no two client processes believe at the same time to hold a key, though holders and the server
 * are paused for half to three times the ttl. All times are of the one monotonic clock of the
 * machine.
 */
class BelievedHoldsTest {
  private static final int HOLDERS = 3;
  private static final int PAUSES = 2;
  private static final long TTL_MILLIS = 800;

  @TempDir Path directory;
  private final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(3);
  private JavaProcess server;
  private List<JavaProcess> holders = List.of();

  @AfterEach
  void stop() {
    holders.forEach(JavaProcess::close);
    server.close();
  }

  @Test
  void V3_beliefsDoNotOverlap_whenHoldersAndServerArePaused() {
    server = JavaProcess.start(directory, PlinthMain.class, "--port=0", "--admin-port=0");
    String port = server.awaitLine("gRPC on [^:]+:(\\d+)").group(1);
    holders = IntStream.range(0, HOLDERS).mapToObj(i -> start(port, i)).toList();
    for (int i = 0; i < PAUSES; i++) {
      awaitMore();
      pause(lastGranted());
      awaitMore();
      pause(server);
    }
    awaitMore();
    HoldChecker.check(holds());
  }

  private JavaProcess start(String port, int seed) {
    return JavaProcess.start(
        directory, Holder.class, "127.0.0.1:" + port, "printer", "" + TTL_MILLIS, "" + seed);
  }

  private void pause(JavaProcess process) {
    process.signal("STOP");
    long millis = (long) (TTL_MILLIS * random.nextDouble(0.5, 3));
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    process.signal("CONT");
  }

  /** Its grant is the newest; at the moment, most likely, it still holds the key. */
  private JavaProcess lastGranted() {
    long newest = lines("granted").mapToLong(line -> Long.parseLong(line[1])).max().orElseThrow();
    return holders.stream()
        .filter(holder -> holder.output().contains("granted " + newest))
        .findFirst()
        .orElseThrow();
  }

  private void awaitMore() {
    long enough = lines("held").count() + HOLDERS;
    Await.until("more holds", () -> lines("held").count() >= enough);
  }

  private Stream<String[]> lines(String first) {
    return holders.stream()
        .flatMap(holder -> holder.output().lines())
        .filter(line -> line.startsWith(first + " "))
        .map(line -> line.split(" "));
  }

  private List<Hold> holds() {
    return lines("held")
        .map(
            line ->
                new Hold(
                    "printer",
                    "holder",
                    Long.parseLong(line[1]),
                    Long.parseLong(line[2]),
                    Long.parseLong(line[3]),
                    Long.parseLong(line[4])))
        .toList();
  }
}
