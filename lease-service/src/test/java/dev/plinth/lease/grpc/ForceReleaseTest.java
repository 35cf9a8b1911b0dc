package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.BRIEF;
import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Holds ended by an operator, at once or after asking. */
@OnEachStore(LeaseWiring.class)
class ForceReleaseTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void force_endsAllHolds_orTheOneOfAToken() {
    Lease ann = calls.grant(calls.wish("ann").setMode(Mode.MODE_SHARED).setTtl(LONG));
    calls.grant(calls.wish("bob").setMode(Mode.MODE_SHARED).setTtl(LONG));
    calls.grant(calls.wish("cid").setMode(Mode.MODE_SHARED).setTtl(LONG));
    ForceReleaseResponse one = force(calls.force(KEY).setToken(ann.getToken()));
    assertEquals("ann", one.getReleased(0).getOwnerId());
    assertEquals(1, one.getReleasedCount());
    assertEquals(2, force(calls.force(KEY)).getReleasedCount());
    assertEquals(0, force(calls.force(KEY)).getReleasedCount(), "nobody is left");
  }

  @Test
  void force_isALoss_soLockDelaysRun() {
    calls.grant(calls.wish("ann").setTtl(LONG).setLockDelay(LONG));
    force(calls.force(KEY));
    assertEquals(Outcome.OUTCOME_DELAYED, calls.acquire("bob").getOutcome());
  }

  @Test
  void force_sentAgain_endsNothingMore() {
    calls.grant("ann");
    ForceReleaseRequest.Builder request = calls.force(KEY).setRequestId("f1");
    ForceReleaseResponse first = force(request);
    calls.grant("bob");
    assertEquals(first, force(request));
    assertEquals("bob", calls.key().getHolders(0).getOwnerId());
  }

  @Test
  void actor_isTheOperatorIfNobodyIsNamed() {
    calls.grant("ann");
    force(calls.force(KEY).clearActor());
    HistoryEntry last = calls.history(calls.historyOf(KEY)).get(1);
    assertEquals("operator", last.getActor());
    assertEquals("maintenance", last.getReason());
  }

  @Test
  void grace_asksFirst_andAHolderThatLetsGoIsNotForced() {
    Lease held = calls.grant(calls.wish("ann").setTtl(LONG).setLockDelay(LONG));
    ForceReleaseResponse asked = force(calls.force(KEY).setGrace(LONG));
    assertEquals(0, asked.getReleasedCount());
    assertEquals(held.getToken(), asked.getAsked(0).getToken());
    assertEquals("olga", asked.getAsked(0).getReleaseAsk().getActor());
    assertTrue(Durations.isPositive(calls.key().getHolders(0).getReleaseAsk().getGrace()));
    assertEquals(ReleaseResponse.Outcome.OUTCOME_RELEASED, calls.release(held));
    calls.grant("bob");
  }

  @Test
  void grace_endsTheHoldWhenItIsOver_overARestartToo() {
    calls.grant(calls.wish("ann").setTtl(LONG).setLockDelay(LONG));
    force(calls.force(KEY).setGrace(Durations.fromSeconds(1)));
    server.restart();
    Lease asked = calls.key().getHolders(0);
    assertEquals("maintenance", asked.getReleaseAsk().getReason());
    Await.until("the grace is over", () -> calls.key().getHoldersCount() == 0);
    assertTrue(calls.key().hasDelayedFor());
  }

  @Test
  void askOnceMore_countsFromTheLast() {
    Lease held = calls.grant("ann");
    force(calls.force(KEY).setGrace(Durations.fromMillis(1000)));
    force(calls.force(KEY).setGrace(LONG).setReason("no hurry"));
    // A clock of the same length that starts later: when it is over, so is the first grace.
    calls.grant(calls.wish("ann").setKey("clock").setTtl(Durations.fromMillis(1100)));
    Await.until("the first grace is over", () -> calls.key("clock").getHoldersCount() == 0);
    Lease still = calls.key().getHolders(0);
    assertEquals(held.getToken(), still.getToken());
    assertEquals("no hurry", still.getReleaseAsk().getReason());
  }

  @Test
  void grace_overTheNextInLine_getsTheKey() {
    calls.grant("ann");
    var bob = calls.stream(calls.streamWish("bob"));
    bob.next();
    force(calls.force(KEY).setGrace(BRIEF));
    assertEquals(Outcome.OUTCOME_GRANTED, bob.next().getResult().getOutcome());
  }

  private ForceReleaseResponse force(ForceReleaseRequest.Builder request) {
    return calls.leases().forceRelease(request.build());
  }
}
