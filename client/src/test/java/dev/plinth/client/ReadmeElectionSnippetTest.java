package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.client.election.Candidacy;
import dev.plinth.client.election.Leadership;
import dev.plinth.client.guard.InMemoryGuard;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README quotes what stands between the marks; ReadmeTest compares them. */
class ReadmeElectionSnippetTest {
  @TempDir Path directory;

  @Test
  void snippet_leads() throws Exception {
    List<String> jobs = new ArrayList<>();
    InMemoryGuard gate = new InMemoryGuard("jobs");
    try (LeaseServer server = new LeaseServer(directory)) {
      String target = server.target();
      // snippet:start
      try (PlinthClient plinth = PlinthClient.connect(target);
          Candidacy candidacy = plinth.election("nightly").campaign("10.0.0.7:8080")) {
        Leadership lead = candidacy.await(Duration.ofMinutes(5)).orElseThrow();
        lead.onDeposed(() -> System.err.println("stop: term " + lead.term() + " is over"));
        gate.write(lead.requireLeading(), () -> jobs.add("started"));
      } // resigns here, and the next in line leads
      // snippet:end
      assertEquals(List.of("started"), jobs);
      assertEquals(0, server.lease("election/nightly").getHoldersCount());
    }
  }
}
