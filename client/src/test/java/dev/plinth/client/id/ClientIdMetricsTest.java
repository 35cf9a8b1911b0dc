package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.TestMachine;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.ManualClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientIdMetricsTest {
  @TempDir Path directory;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

  @Test
  void whatHandlesDo_isCounted() throws Exception {
    ManualClock wall = new ManualClock(Instant.now());
    try (IdServer server = new IdServer(directory, InstantSource.system());
        PlinthClient client =
            PlinthClient.builder(server.target())
                .metrics(meters)
                .machine(TestMachine.withWall(wall))
                .build()) {
      server.put("orders", IdServer.dense(40, 40));
      server.put("events", IdServer.flakes(10, 12));
      RangeIdGenerator orders = client.ids().range("orders");
      assertEquals(40, gauge("runway", "orders"));
      take(orders, 30);
      Await.until("the next range is here", () -> gauge("runway", "orders") == 50);
      orders.close();
      take(client.ids().range("orders"), 5);
      assertEquals(35, counter("issued", "orders"));
      assertEquals(50, meters.get("plinth.client.ids.returned").counter().count());

      SnowflakeIdGenerator events = client.ids().snowflake("events");
      events.next(new long[100]);
      assertEquals(100, counter("issued", "events"));
      double room = gauge("runway", "events");
      assertTrue(room > 1_000_000, "room: " + room);
      wall.stepWall(Duration.ofMillis(-3200));
      assertEquals(3.2, gauge("clock.ahead", "events"), 0.0001);
    }
  }

  @Test
  void waits_areCounted() throws Exception {
    try (IdServer server = new IdServer(directory, InstantSource.system());
        PlinthClient client = PlinthClient.builder(server.target()).metrics(meters).build()) {
      server.put("orders", IdServer.dense(1, 1));
      RangeIdGenerator orders = client.ids().range("orders");
      Await.until(
          "a wait",
          () -> {
            take(orders, 1);
            return meters.find("plinth.client.ids.range.stalls").counter() != null;
          });
    }
  }

  private static void take(RangeIdGenerator ids, int count) {
    for (int i = 0; i < count; i++) {
      ids.next();
    }
  }

  private double gauge(String name, String namespace) {
    return meters.get("plinth.client.ids." + name).tag("namespace", namespace).gauge().value();
  }

  private double counter(String name, String namespace) {
    return meters
        .get("plinth.client.ids." + name)
        .tag("namespace", namespace)
        .functionCounter()
        .count();
  }
}
