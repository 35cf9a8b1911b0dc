package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.GetFenceRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListLeasesResponse;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.lease.v1.RaiseFenceResponse;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.lease.v1.Waiter;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Calls that look at keys, lines and fences. */
@OnEachStore(LeaseWiring.class)
class ReadsTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
  }

  @Test
  void get_tellsWhoHoldsAKey_andHowManyWait() {
    assertEquals(GetLeaseResponse.getDefaultInstance(), calls.key(), "nobody");
    Lease held = calls.grant("ann");
    calls.stream(calls.streamWish("bob")).next();
    assertEquals(List.of(held), calls.key().getHoldersList());
    assertEquals(1, calls.key().getWaiters());
    assertFalse(calls.key().hasDelayedFor());
  }

  @Test
  void list_pagesThroughANamespace_inTheOrderOfItsKeys() {
    for (int i = 4; i >= 0; i--) {
      calls.grant(calls.wish(i % 2 == 0 ? "ann" : "bob").setKey("k" + i));
    }
    calls.grant(calls.wish("ann").setKey("other"));
    LeaseCalls elsewhere = new LeaseCalls(server);
    elsewhere.grant(elsewhere.wish("ann").setKey("k9"));
    assertEquals(List.of("k0", "k1", "k2", "k3", "k4", "other"), keys(list().setPageSize(2)));
    assertEquals(List.of("k0", "k1", "k2", "k3", "k4"), keys(list().setKeyPrefix("k")));
    assertEquals(List.of("k0", "k2", "k4", "other"), keys(list().setOwnerId("ann")));
    assertEquals(
        List.of("k1", "k3"), keys(list().setKeyPrefix("k").setOwnerId("bob").setPageSize(1)));
  }

  @Test
  void page_hasNoMoreThanAskedFor_andGoesOnAmongTheHoldersOfAKey() {
    for (String owner : List.of("ann", "bob", "cid")) {
      calls.grant(calls.wish(owner).setKey("a").setMode(Mode.MODE_SHARED));
    }
    calls.grant(calls.wish("ann").setKey("b"));
    ListLeasesResponse page = calls.leases().listLeases(list().setPageSize(1).build());
    assertEquals(1, page.getLeasesCount());
    assertEquals(List.of("a", "a", "a", "b"), keys(list().setPageSize(1)));
  }

  @Test
  void listWaiters_isInTheOrderOfTheLine() {
    calls.grant("ann");
    String session = calls.session("cid");
    calls.stream(calls.streamWish("bob").setMode(Mode.MODE_SHARED)).next();
    calls.stream(calls.streamWish("cid").setSessionId(session).setPriority(5)).next();
    List<Waiter> line =
        calls
            .leases()
            .listWaiters(
                ListWaitersRequest.newBuilder().setNamespace(calls.namespace).setKey(KEY).build())
            .getWaitersList();
    assertEquals(List.of("cid", "bob"), line.stream().map(Waiter::getOwnerId).toList());
    assertEquals(session, line.get(0).getSessionId());
    assertEquals(5, line.get(0).getPriority());
    assertEquals(Mode.MODE_EXCLUSIVE, line.get(0).getMode());
    assertEquals(Mode.MODE_SHARED, line.get(1).getMode());
    assertTrue(line.get(1).hasWaited());
  }

  @Test
  void validate_tellsAStaleHolderFromTheHolder() {
    Lease old = calls.grant("ann");
    calls.release(old);
    Lease now = calls.grant("bob");
    ValidateResponse valid = validate(now.getToken());
    assertEquals(ValidateResponse.Outcome.OUTCOME_VALID, valid.getOutcome());
    assertEquals(now.getToken(), valid.getCurrentToken());
    assertTrue(Durations.isPositive(valid.getRemaining()));
    assertTrue(Durations.compare(valid.getRemaining(), LONG) <= 0);
    ValidateResponse stale = validate(old.getToken());
    assertEquals(ValidateResponse.Outcome.OUTCOME_STALE, stale.getOutcome());
    assertEquals(now.getToken(), stale.getCurrentToken());
    assertFalse(stale.hasRemaining());
    calls.release(now);
    assertEquals(0, validate(now.getToken()).getCurrentToken());
  }

  @Test
  void fence_rises_andNeverFalls_overARestartToo() {
    assertEquals(0, floor("disk"));
    assertTrue(raise(7, "f1").getAccepted());
    assertTrue(raise(7, "").getAccepted(), "the same holder");
    RaiseFenceResponse stale = raise(6, "");
    assertFalse(stale.getAccepted());
    assertEquals(7, stale.getFloor());
    assertTrue(raise(9, "").getAccepted());
    assertEquals(7, raise(7, "f1").getFloor(), "sent again");
    server.restart();
    assertEquals(9, floor("disk"));
    assertEquals(0, floor("other"));
  }

  @Test
  void fence_isRaisedByRealTokensOnly_overARestartToo() {
    Refusal.of(() -> raise(Long.MAX_VALUE, ""))
        .isOfField("token", ErrorReason.ERROR_REASON_FIELD_INVALID);
    assertTrue(raise(calls.grant("ann").getToken(), "").getAccepted());
    server.restart();
    long next = calls.grant(calls.wish("bob").setKey("b")).getToken();
    Refusal.of(() -> raise(next + (1L << 32), ""))
        .isOfField("token", ErrorReason.ERROR_REASON_FIELD_INVALID);
    assertTrue(raise(next, "").getAccepted());
  }

  private RaiseFenceResponse raise(long token, String requestId) {
    return calls
        .leases()
        .raiseFence(
            RaiseFenceRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setResource("disk")
                .setToken(token)
                .setRequestId(requestId)
                .build());
  }

  private long floor(String resource) {
    return calls
        .leases()
        .getFence(
            GetFenceRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setResource(resource)
                .build())
        .getFloor();
  }

  private ValidateResponse validate(long token) {
    return calls
        .leases()
        .validate(
            ValidateRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setKey(KEY)
                .setToken(token)
                .build());
  }

  private ListLeasesRequest.Builder list() {
    return ListLeasesRequest.newBuilder().setNamespace(calls.namespace);
  }

  private List<String> keys(ListLeasesRequest.Builder request) {
    List<String> keys = new ArrayList<>();
    ListLeasesResponse page;
    do {
      page = calls.leases().listLeases(request.build());
      page.getLeasesList().forEach(lease -> keys.add(lease.getKey()));
      request.setPageToken(page.getNextPageToken());
    } while (!page.getNextPageToken().isEmpty());
    return keys;
  }
}
