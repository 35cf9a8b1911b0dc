package dev.plinth.client.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseServer;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.client.lease.LeaseLostException;
import dev.plinth.lease.v1.Candidate;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.testkit.Await;
import io.grpc.Status.Code;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against the real service. */
class ElectionTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;
  private LeaseServer server;
  private PlinthClient ann;
  private PlinthClient bob;

  @BeforeEach
  void start() {
    server = new LeaseServer(directory);
    ann = PlinthClient.builder(server.target()).owner("ann").build();
    bob = PlinthClient.builder(server.target()).owner("bob").build();
  }

  @AfterEach
  void stop() {
    ann.close();
    bob.close();
    server.close();
  }

  @Test
  void campaign_electsOne_andTheNextWhenItResigns() throws Exception {
    Leadership first = lead(ann);
    assertEquals(1, first.term());
    assertEquals(LeaseState.SAFE, first.state());
    assertEquals(first.token(), first.requireLeading());
    Candidacy second = bob.election("cron").campaign("bob:1");
    assertEquals(1, second.position());
    assertEquals(Optional.empty(), second.await(Duration.ofMillis(1)));
    assertEquals("ann", ann.election("cron").leader().orElseThrow().getCandidateId());
    first.resign();
    assertEquals(LeaseState.RELEASED, first.state());
    assertThrows(LeaseLostException.class, first::requireLeading);
    Leadership next = second.await(LONG).orElseThrow();
    assertEquals(2, next.term());
    assertTrue(next.token() > first.token());
    assertEquals(0, second.position());
  }

  @Test
  void noLeader_isAnAnswer() throws Exception {
    assertEquals(Optional.empty(), ann.election("cron").leader());
    assertEquals(List.of(), ann.election("cron").candidates());
  }

  @Test
  void onElected_runsAtOnce_whenItLeadsAlready() throws Exception {
    Candidacy candidacy = ann.election("cron").campaign("ann:1");
    Leadership leads = candidacy.await(LONG).orElseThrow();
    CompletableFuture<Leadership> told = new CompletableFuture<>();
    candidacy.onElected(told::complete);
    assertEquals(leads, told.get(10, TimeUnit.SECONDS));
  }

  @Test
  void candidates_standByPriority_andCloseLeavesTheLine() throws Exception {
    lead(ann);
    Candidacy low = bob.election("cron").campaign(CampaignOptions.defaults().candidate("low"));
    Candidacy high =
        bob.election("cron").campaign(CampaignOptions.defaults().candidate("high").priority(5));
    assertEquals(
        List.of("high", "low"),
        ann.election("cron").candidates().stream().map(Candidate::getCandidateId).toList());
    Await.until("low is told of its place", () -> low.position() == 2);
    high.close();
    assertThrows(IllegalStateException.class, () -> high.await(LONG));
    Await.until("low is next", () -> low.position() == 1);
    Await.until("high left", () -> ann.election("cron").candidates().size() == 1);
  }

  @Test
  void candidateThatWasInterrupted_mayStandAgainAtOnce() throws Exception {
    ann.leases().sessionCredentials(); // so that it waits for nothing but its place
    for (int i = 0; i < 50; i++) {
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, () -> ann.election("cron").campaign("ann:1"));
    }
    lead(ann);
  }

  @Test
  void candidacyThatIsClosed_resigns() throws Exception {
    Candidacy candidacy = ann.election("cron").campaign("ann:1");
    Leadership leads = candidacy.await(LONG).orElseThrow();
    candidacy.close();
    assertEquals(LeaseState.RELEASED, leads.state());
    assertEquals(Optional.empty(), bob.election("cron").leader());
    lead(ann);
  }

  @Test
  void sameCandidate_standsOnce() throws Exception {
    ann.election("cron").campaign("ann:1");
    assertThrows(IllegalStateException.class, () -> ann.election("cron").campaign("ann:2"));
    ann.election("other").campaign("ann:1").close();
    Candidacy again = ann.election("other").campaign("ann:1");
    assertTrue(again.await(LONG).isPresent());
  }

  @Test
  void proclaim_replacesTheValue_andTellsWhoLeadsNoMore() throws Exception {
    Leadership leads = lead(ann);
    leads.proclaim("ann:2");
    assertEquals("ann:2", bob.election("cron").leader().orElseThrow().getValue().toStringUtf8());
    CountDownLatch deposed = new CountDownLatch(1);
    leads.onDeposed(deposed::countDown);
    force("election/cron", Duration.ZERO);
    assertThrows(LeaseLostException.class, () -> proclaimUntilRefused(leads));
    assertTrue(deposed.await(10, TimeUnit.SECONDS));
  }

  private static void proclaimUntilRefused(Leadership leads) throws InterruptedException {
    for (int i = 0; i < 100; i++) {
      leads.proclaim("late " + i);
    }
  }

  @Test
  void transferTo_handsOverPastTheLine() throws Exception {
    Leadership first = lead(ann);
    bob.election("cron").campaign(CampaignOptions.defaults().candidate("first in line"));
    Candidacy chosen =
        bob.election("cron").campaign(CampaignOptions.defaults().candidate("chosen"));
    assertFalse(first.transferTo("nobody"));
    assertEquals(LeaseState.SAFE, first.state());
    assertTrue(first.transferTo("chosen"));
    assertEquals(LeaseState.RELEASED, first.state());
    Leadership next = chosen.await(LONG).orElseThrow();
    assertEquals(2, next.term());
    assertThrows(LeaseLostException.class, () -> first.transferTo("chosen"));
  }

  @Test
  void forcedOut_isDeposed_byTheStream() throws Exception {
    Leadership leads = lead(ann);
    LeaseHandle other = ann.leases().tryAcquire("printer").orElseThrow();
    CountDownLatch deposed = new CountDownLatch(1);
    leads.onDeposed(deposed::countDown);
    force("election/cron", Duration.ZERO);
    assertTrue(deposed.await(10, TimeUnit.SECONDS));
    assertEquals(LeaseState.LOST, leads.state());
    assertEquals(Duration.ZERO, leads.remaining());
    assertEquals(LeaseState.SAFE, other.state());
    assertEquals(2, lead(ann).term());
  }

  /** The stream says so at once, not the next beat, which would be three seconds away. */
  @Test
  void askedToResign_hearsOfIt_andIsDeposedByItselfWhenTheGraceIsOver() throws Exception {
    Leadership leads = lead(ann);
    CompletableFuture<String> asked = new CompletableFuture<>();
    leads.onReleaseAsked(ask -> asked.complete(ask.getActor() + ": " + ask.getReason()));
    CompletableFuture<Boolean> stillLed = new CompletableFuture<>();
    leads.onDeposed(() -> stillLed.complete(true));
    force("election/cron", Duration.ofSeconds(2));
    assertEquals("ops: maintenance", asked.get(10, TimeUnit.SECONDS));
    assertTrue(leads.remaining().compareTo(Duration.ofSeconds(2)) <= 0);
    assertTrue(stillLed.get(10, TimeUnit.SECONDS));
  }

  @Test
  void refusal_isThrownWhereItIsAsked() {
    CallFailedException refused =
        assertThrows(
            CallFailedException.class,
            () -> ann.election("cron").campaign(CampaignOptions.defaults().priority(101)));
    assertEquals(Code.INVALID_ARGUMENT, refused.code());
    CallFailedException badName =
        assertThrows(CallFailedException.class, () -> ann.election("").observe(new Terms()));
    assertEquals(Code.INVALID_ARGUMENT, badName.code());
  }

  @Test
  void clientClose_deposesAndResigns() throws Exception {
    Leadership leads = lead(ann);
    Candidacy waits = ann.election("cron").campaign(CampaignOptions.defaults().candidate("second"));
    Candidacy third = bob.election("cron").campaign("bob:1");
    ann.close();
    assertEquals(LeaseState.LOST, leads.state());
    assertTrue(third.await(LONG).isPresent());
    assertThrows(IllegalStateException.class, () -> waits.await(LONG));
  }

  private static Leadership lead(PlinthClient client) throws InterruptedException {
    return client.election("cron").campaign(client.owner() + ":1").await(LONG).orElseThrow();
  }

  private void force(String key, Duration grace) {
    ForceReleaseRequest.Builder request =
        ForceReleaseRequest.newBuilder().setKey(key).setActor("ops").setReason("maintenance");
    if (!grace.isZero()) {
      request.setGrace(ClientWire.duration(grace));
    }
    server.leases().forceRelease(request.build());
  }
}
