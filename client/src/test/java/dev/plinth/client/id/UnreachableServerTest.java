package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A network between client and server that breaks, or loses answers. */
class UnreachableServerTest {
  @TempDir Path directory;
  private IdServer server;
  private FaultProxy proxy;
  private PlinthClient client;

  @BeforeEach
  void start() {
    server = new IdServer(directory, InstantSource.system());
    proxy = FaultProxy.to("localhost", server.port());
    client =
        PlinthClient.builder(proxy.address())
            .callDeadline(Duration.ofMillis(300))
            .operationTimeout(Duration.ofSeconds(20))
            .build();
  }

  @AfterEach
  void stop() {
    proxy.heal();
    client.close();
    proxy.close();
    server.close();
  }

  @Test
  void I5_workerThatCannotBeRenewed_makesNoMore_andAnotherTakesItUpAbove() throws Exception {
    server.put(
        "events",
        IdServer.flakes(0, 22)
            .setWorkerTtl(wire(Duration.ofSeconds(2)))
            .setMaxAhead(wire(Duration.ofSeconds(2))));
    SnowflakeIdGenerator cutOff = client.ids().snowflake("events");
    long before = cutOff.next();
    proxy.cut();
    try (PlinthClient other = PlinthClient.connect(server.target())) {
      SnowflakeIdGenerator successor = hire(other);
      assertThrows(IdsUnavailableException.class, cutOff::next);
      Await.until("its floor is within reach", () -> makes(successor));
      long after = successor.next();
      assertTrue(after > before);
      proxy.heal();
      Await.until("it hears that it is lost", () -> cutOff.worker() == -1);
      successor.close();
      Await.until("it has the worker id again", () -> makes(cutOff));
      assertTrue(cutOff.next() > after);
    }
  }

  private static SnowflakeIdGenerator hire(PlinthClient client) {
    SnowflakeIdGenerator[] hired = new SnowflakeIdGenerator[1];
    Await.until(
        "a worker id is free",
        () -> {
          hired[0] = client.ids().snowflake("events");
          return true;
        });
    return hired[0];
  }

  private static boolean makes(SnowflakeIdGenerator ids) {
    ids.next();
    return true;
  }

  @Test
  void rangeWhoseAnswerIsLost_isGrantedOnce_andNotLost() throws Exception {
    server.put("orders", IdServer.dense(20, 20));
    RangeIdGenerator ids =
        client.ids().range("orders", RangeOptions.defaults().timeout(Duration.ZERO));
    Set<Long> all = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      all.add(ids.next());
    }
    proxy.drop(FaultProxy.Direction.TO_CLIENT);
    for (int i = 0; i < 15; i++) {
      all.add(ids.next());
    }
    Await.until("it is granted", () -> server.get("orders").getLedger().getOutstanding() >= 40);
    assertThrows(IdsUnavailableException.class, ids::next);
    proxy.heal();
    Await.until("it is here", () -> ids.runway() == 20);
    for (int i = 0; i < 20; i++) {
      assertTrue(all.add(ids.next()));
    }
    ids.close();
    assertEquals(40, all.size());
    assertEquals(40L, all.stream().mapToLong(Long::longValue).max().orElseThrow());
    Await.until("all is settled", () -> server.get("orders").getLedger().getIssued() == 40);
  }

  @Test
  void close_withoutAServer_ends() throws Exception {
    server.put("orders", IdServer.dense(20, 20));
    server.put("events", IdServer.flakes(10, 12));
    RangeIdGenerator ids = client.ids().range("orders");
    SnowflakeIdGenerator flakes = client.ids().snowflake("events");
    ids.next();
    proxy.halfOpen();
    ids.close();
    flakes.close();
    assertThrows(IllegalStateException.class, ids::next);
    assertThrows(IllegalStateException.class, flakes::next);
  }

  @Test
  void refusals_areTheCallers() {
    server.put("events", IdServer.flakes(10, 12));
    server.put("orders", IdServer.dense(20, 20));
    server.put("strict", IdServer.dense(1, 1).setOrder(dev.plinth.id.v1.Order.ORDER_STRICT));
    assertEquals(
        ErrorReason.ERROR_REASON_WRONG_FORMAT, refusal(() -> client.ids().range("events")));
    assertEquals(
        ErrorReason.ERROR_REASON_WRONG_FORMAT, refusal(() -> client.ids().range("strict")));
    assertEquals(
        ErrorReason.ERROR_REASON_WRONG_FORMAT, refusal(() -> client.ids().snowflake("orders")));
    assertEquals(
        ErrorReason.ERROR_REASON_NAMESPACE_UNKNOWN, refusal(() -> client.ids().range("nowhere")));
  }

  @Test
  void exhausted_isToldAtOnce_withItsReason() throws Exception {
    server.put("few", IdServer.dense(5, 5).setMax(10));
    RangeIdGenerator ids = client.ids().range("few");
    for (int i = 1; i <= 10; i++) {
      assertEquals(i, ids.next());
    }
    IdsUnavailableException none = assertThrows(IdsUnavailableException.class, ids::next);
    assertEquals(
        ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED,
        ((CallFailedException) none.getCause()).reason());
    assertFalse(none.retryAfter().isZero());
  }

  private static ErrorReason refusal(org.junit.jupiter.api.function.Executable call) {
    return assertThrows(CallFailedException.class, call).reason();
  }

  private static com.google.protobuf.Duration wire(Duration time) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(time.toSeconds()).build();
  }
}
