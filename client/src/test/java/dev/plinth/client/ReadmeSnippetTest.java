package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.client.guard.InMemoryGuard;
import dev.plinth.client.lease.LeaseHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README quotes what stands between the marks. */
class ReadmeSnippetTest {
  @TempDir Path directory;

  @Test
  void snippet_writesUnderALease() throws Exception {
    List<String> ledger = new ArrayList<>();
    InMemoryGuard gate = new InMemoryGuard("ledger");
    try (LeaseServer server = new LeaseServer(directory)) {
      String target = server.target();
      // snippet:start
      try (PlinthClient plinth = PlinthClient.connect(target);
          LeaseHandle lease =
              plinth.leases().acquire("ledger", Duration.ofSeconds(30)).orElseThrow()) {
        lease.onLost(() -> System.err.println("stop: another may hold " + lease.key()));
        // The resource checks the token: a holder that was paused too long is refused.
        gate.write(lease.requireHeld(), () -> ledger.add("paid"));
      } // released here; after a crash, when the session's ttl is over
      // snippet:end
      assertEquals(List.of("paid"), ledger);
      assertEquals(0, server.lease("ledger").getHoldersCount());
    }
  }
}
