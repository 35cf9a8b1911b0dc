package dev.plinth.client.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.LeaseServer;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.lease.v1.Candidate;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Elections over a network that fails; ann is behind the proxy, the others are not. */
class BrokenElectionTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration BRIEF = Duration.ofMillis(1500);

  @TempDir Path directory;
  private LeaseServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() {
    server = new LeaseServer(directory);
    proxy = FaultProxy.to("localhost", server.port());
  }

  @AfterEach
  void stop() {
    proxy.close();
    server.close();
  }

  @Test
  void V3_leaderWhoseConnectionIsReset_isDeposedBeforeAnotherIsElected() throws Exception {
    deposedBeforeTheNextElection(FaultProxy::cut);
  }

  @Test
  void V3_leaderWhoseBeatsVanish_isDeposedBeforeAnotherIsElected() throws Exception {
    deposedBeforeTheNextElection(FaultProxy::halfOpen);
  }

  @Test
  void V3_leaderWhoseAnswersVanish_isDeposedBeforeAnotherIsElected() throws Exception {
    deposedBeforeTheNextElection(p -> p.drop(FaultProxy.Direction.TO_CLIENT));
  }

  private void deposedBeforeTheNextElection(Consumer<FaultProxy> fault) throws Exception {
    try (PlinthClient ann = client(proxy.address(), "ann", BRIEF);
        PlinthClient bob = client(server.target(), "bob", LONG)) {
      Leadership first = ann.election("cron").campaign("").await(LONG).orElseThrow();
      CompletableFuture<Long> deposedAt = new CompletableFuture<>();
      first.onDeposed(() -> deposedAt.complete(System.nanoTime()));
      Candidacy second = bob.election("cron").campaign("");
      CompletableFuture<Long> electedAt = new CompletableFuture<>();
      second.onElected(leadership -> electedAt.complete(System.nanoTime()));
      fault.accept(proxy);
      long elected = electedAt.get(20, TimeUnit.SECONDS);
      assertTrue(deposedAt.get(10, TimeUnit.SECONDS) - elected < 0);
      assertEquals(LeaseState.LOST, first.state());
      assertTrue(second.await(LONG).orElseThrow().token() > first.token());
      proxy.heal();
    }
  }

  @Test
  void leaderWhoseConnectionIsReset_keepsItsTerm_andStillHearsOfItsEnd() throws Exception {
    try (PlinthClient ann = client(proxy.address(), "ann", Duration.ofSeconds(10));
        PlinthClient bob = client(server.target(), "bob", LONG)) {
      Leadership leads = ann.election("cron").campaign("").await(LONG).orElseThrow();
      CompletableFuture<Void> deposed = new CompletableFuture<>();
      leads.onDeposed(() -> deposed.complete(null));
      Candidacy next = bob.election("cron").campaign("");
      proxy.cut();
      proxy.heal();
      Await.until("safe again", () -> leads.state() == LeaseState.SAFE);
      leads.proclaim("still here");
      assertEquals(1, leads.term());
      server.forceRelease("election/cron");
      deposed.get(20, TimeUnit.SECONDS);
      assertEquals(2, next.await(LONG).orElseThrow().term());
      Await.until("ann does not stand again", () -> inLine(bob).isEmpty());
    }
  }

  @RepeatedTest(3)
  void candidateWhoseConnectionIsReset_keepsItsPlace() throws Exception {
    try (PlinthClient ann = client(proxy.address(), "ann", LONG);
        PlinthClient bob = client(server.target(), "bob", LONG)) {
      Leadership leads = bob.election("cron").campaign("").await(LONG).orElseThrow();
      Candidacy broken = ann.election("cron").campaign("");
      Candidacy behind =
          bob.election("cron").campaign(CampaignOptions.defaults().candidate("behind"));
      assertEquals(2, behind.position());
      proxy.cut();
      Await.until("passed over", () -> behind.position() == 1);
      proxy.heal();
      Await.until("back in its place", () -> behind.position() == 2);
      assertEquals(List.of("ann", "behind"), inLine(bob));
      leads.resign();
      assertEquals(2, broken.await(LONG).orElseThrow().term());
    }
  }

  @Test
  void candidateWhoseSessionIsLost_standsAnew() throws Exception {
    try (PlinthClient ann = client(proxy.address(), "ann", BRIEF);
        PlinthClient bob = client(server.target(), "bob", LONG)) {
      Leadership leads = bob.election("cron").campaign("").await(LONG).orElseThrow();
      Candidacy broken = ann.election("cron").campaign("");
      proxy.cut();
      Await.until("out of the line", () -> inLine(bob).isEmpty());
      proxy.heal();
      Await.until("in line again", () -> inLine(bob).equals(List.of("ann")));
      leads.resign();
      assertEquals(2, broken.await(LONG).orElseThrow().term());
    }
  }

  /** Elected over a connection that is dead without a word: beats go over a new one. */
  @Test
  void candidateElectedInSilence_hearsOfIt() throws Exception {
    try (PlinthClient ann = client(proxy.address(), "ann", Duration.ofSeconds(8));
        PlinthClient bob = client(server.target(), "bob", LONG)) {
      Leadership leads = bob.election("cron").campaign("").await(LONG).orElseThrow();
      Candidacy broken = ann.election("cron").campaign("");
      proxy.drop(FaultProxy.Direction.TO_CLIENT);
      leads.resign();
      Await.until("elected", () -> bob.election("cron").leader().orElseThrow().getTerm() == 2);
      proxy.heal();
      Leadership late = broken.await(LONG).orElseThrow();
      assertEquals(2, late.term());
      late.resign();
      Await.until("nobody leads or stands", () -> isDeserted(bob));
    }
  }

  /** Leaves while it is being elected: whichever comes first, nobody is left leading unknown. */
  @RepeatedTest(5)
  void candidateThatLeavesWhileElected_leavesNothingBehind() throws Exception {
    try (PlinthClient ann = client(server.target(), "ann", LONG);
        PlinthClient bob = client(server.target(), "bob", LONG)) {
      Leadership leads = bob.election("cron").campaign("").await(LONG).orElseThrow();
      Candidacy leaver = ann.election("cron").campaign("");
      CompletableFuture<Void> resigned = CompletableFuture.runAsync(leads::resign);
      leaver.close();
      resigned.get(10, TimeUnit.SECONDS);
      Await.until("nobody leads or stands", () -> isDeserted(bob));
    }
  }

  private static boolean isDeserted(PlinthClient client) throws InterruptedException {
    return client.election("cron").leader().isEmpty() && inLine(client).isEmpty();
  }

  private static List<String> inLine(PlinthClient client) throws InterruptedException {
    return client.election("cron").candidates().stream().map(Candidate::getCandidateId).toList();
  }

  private static PlinthClient client(String target, String owner, Duration ttl) {
    return PlinthClient.builder(target).owner(owner).sessionTtl(ttl).build();
  }
}
