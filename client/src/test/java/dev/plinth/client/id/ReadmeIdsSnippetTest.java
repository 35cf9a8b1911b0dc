package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README quotes what stands between the marks; ReadmeTest compares them. */
class ReadmeIdsSnippetTest {
  @TempDir Path directory;

  @Test
  void snippet_makesIds() throws Exception {
    List<String> log = new ArrayList<>();
    try (IdServer server = new IdServer(directory, InstantSource.system())) {
      server.put("orders", IdServer.dense(1000, 100_000));
      server.put("events", IdServer.flakes(10, 12));
      String target = server.target();
      // snippet:start
      try (PlinthClient plinth = PlinthClient.connect(target);
          RangeIdGenerator orders = plinth.ids().range("orders");
          SnowflakeIdGenerator events = plinth.ids().snowflake("events")) {
        long order = orders.next(); // no call: of a range, while the next one is fetched ahead
        long event = events.next(); // no call: time, a leased worker id, a sequence
        log.add("order " + order + ", event " + IdEncoding.CROCKFORD.format(event));
        log.add("made at " + events.parse(event).time());
      } // the rest of the range goes back, and the worker id is free
      log.add("offline: " + new UlidGenerator().next() + ", " + new Uuid7Generator().next());
      // snippet:end
      assertTrue(log.get(0).matches("order 1, event [0-9A-Z]{13}"), log.get(0));
      assertTrue(log.get(2).matches("offline: [0-9A-Z]{26}, [0-9a-f-]{36}"), log.get(2));
      assertEquals(1, server.get("orders").getLedger().getIssued());
      assertEquals(0, server.get("events").getWorkersInUse());
    }
  }
}
