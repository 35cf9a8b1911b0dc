package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.PlinthClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README quotes what stands between the marks; ReadmeTest compares them. */
class ReadmeLimitsSnippetTest {
  @TempDir Path directory;

  @Test
  void snippet_limits() throws Exception {
    List<String> log = new ArrayList<>();
    try (LimitServer server = new LimitServer(directory)) {
      server.put(LimitServer.bucket(100, 100, Duration.ofHours(1)));
      String target = server.target();
      // snippet:start
      try (PlinthClient plinth = PlinthClient.connect(target)) {
        Limiter acme = plinth.limits().of("api", Map.of("tenant", "acme", "route", "/pay"));
        if (acme.tryAcquire()) { // under load no call: from budget that was leased in advance
          log.add("paid");
        }
        try (Reservation place = acme.reserve(20, Duration.ofSeconds(5)).orElseThrow()) {
          place.await(); // its place in the future, if there is none now
          place.settle(12); // what it really cost; the rest is there again
        }
      } // what was leased and not spent goes back
      // snippet:end
      assertEquals(List.of("paid"), log);
      assertTrue(server.remaining("acme") >= 100 - 1 - 12);
    }
  }
}
