package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.TestMachine;
import dev.plinth.id.v1.ParseRequest;
import dev.plinth.id.v1.ParseResponse;
import dev.plinth.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads and handles on the real server. */
class SnowflakeIdsRaceTest {
  private static final int THREADS = 6;

  @TempDir Path directory;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final Set<Long> all = ConcurrentHashMap.newKeySet();
  private IdServer server;

  @AfterEach
  void stop() {
    threads.shutdownNow();
    server.close();
  }

  @Test
  void I1_I2_threadsOfOneHandle() throws Exception {
    server = new IdServer(directory, InstantSource.system());
    server.put("events", IdServer.flakes(9, 8)); // so few in a unit that it overflows all the time
    try (PlinthClient client = PlinthClient.connect(server.target())) {
      SnowflakeIdGenerator ids = client.ids().snowflake("events");
      together(() -> makeRising(ids, 20_000));
      assertEquals(THREADS * 20_000, all.size());
      for (long id : all.stream().limit(20).toList()) {
        assertParsedAlike(ids, id);
      }
    }
  }

  /** Of four worker ids each is released and taken up again, at once, by another. */
  @Test
  void I1_I4_handlesThatOpenAndClose_takeUpEachOthersWorkerIds() throws Exception {
    server = new IdServer(directory, InstantSource.system());
    server.put("events", IdServer.flakes(2, 20));
    try (PlinthClient client = PlinthClient.connect(server.target())) {
      together(
          () -> {
            for (int i = 0; i < 30; i++) {
              openAndMake(client, 200);
            }
            return null;
          });
      assertEquals(THREADS * 30 * 200, all.size());
    }
  }

  /** Wall clocks of server and clients jump by up to an hour, at each opening and in between. */
  @Test
  void I1_I4_clocksThatJump() throws Exception {
    ManualClock serverClock = new ManualClock(Instant.now());
    ManualClock clientClock = new ManualClock(Instant.now());
    Random random = new Random(5);
    for (int restart = 0; restart < 4; restart++) {
      server = new IdServer(directory, serverClock);
      server.put("events", IdServer.flakes(2, 20).setMaxAhead(wire(Duration.ofMinutes(10))));
      try (PlinthClient client =
          PlinthClient.builder(server.target())
              .machine(TestMachine.withWall(clientClock))
              .build()) {
        for (int i = 0; i < 20; i++) {
          SnowflakeIdGenerator one = client.ids().snowflake("events");
          SnowflakeIdGenerator other = client.ids().snowflake("events");
          makeSome(one, 50);
          jump(clientClock, random);
          jump(serverClock, random);
          makeSome(other, 50);
          makeSome(one, 50);
          one.close();
          other.close();
        }
      }
      server.close();
    }
    server = new IdServer(directory, serverClock);
    assertTrue(all.size() > 1000, "made: " + all.size());
  }

  private static com.google.protobuf.Duration wire(Duration time) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(time.toSeconds()).build();
  }

  private static void jump(ManualClock clock, Random random) {
    long ms = (long) Math.pow(3_600_000, random.nextDouble());
    clock.stepWall(Duration.ofMillis(random.nextBoolean() ? ms : -ms));
  }

  private void makeSome(SnowflakeIdGenerator ids, int count) {
    try {
      for (int i = 0; i < count; i++) {
        long id = ids.next();
        assertTrue(all.add(id), "twice: " + id);
      }
    } catch (IdsUnavailableException e) {
      // The jump was too far; that is an answer too.
    }
  }

  private void openAndMake(PlinthClient client, int count) throws InterruptedException {
    while (true) {
      try (SnowflakeIdGenerator ids = client.ids().snowflake("events")) {
        makeRising(ids, count);
        return;
      } catch (IdsUnavailableException allOut) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private Void makeRising(SnowflakeIdGenerator ids, int count) {
    long[] bulk = new long[10];
    long last = -1;
    for (int i = 0; i < count; i += bulk.length) {
      while (true) {
        try {
          ids.next(bulk);
          break;
        } catch (IdsUnavailableException ahead) {
          assertTrue(!ahead.retryAfter().isZero(), ahead::getMessage);
          LockSupport.parkNanos(ahead.retryAfter().toNanos());
        }
      }
      assertTrue(bulk[0] > last);
      last = bulk[9];
      Arrays.stream(bulk).forEach(id -> assertTrue(all.add(id), () -> "twice: " + id));
    }
    return null;
  }

  private void together(Callable<Void> work) throws Exception {
    List<Future<Void>> running = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      running.add(threads.submit(work));
    }
    for (Future<Void> one : running) {
      one.get();
    }
  }

  private void assertParsedAlike(SnowflakeIdGenerator ids, long id) {
    ParseResponse parsed =
        server
            .ids()
            .parse(
                ParseRequest.newBuilder().setNamespace("events").setId(Long.toString(id)).build());
    Snowflake own = ids.parse(id);
    assertTrue(parsed.getIssued());
    assertEquals(own.worker(), parsed.getWorkerId());
    assertEquals(own.sequence(), parsed.getSequence());
    Instant time =
        Instant.ofEpochSecond(parsed.getTime().getSeconds(), parsed.getTime().getNanos());
    assertEquals(own.time(), time);
  }
}
