package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.ResignRequest;
import dev.plinth.lease.v1.ResignResponse;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.Refusal;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;

/** What makes room is urgent: it is taken where what takes room is refused. */
class UrgentCallsTest {
  @Test
  void releaseResignAndCloseSession_areTaken_whereAcquiresFindNoRoom() {
    try (ShardServer server = ShardServer.embedded(LeaseWiring.WIRING, "--request-memory=1MiB")) {
      LeaseCalls calls = new LeaseCalls(server);
      Lease lease = calls.grant("ann");
      String session = calls.session("bob");
      Leader leader =
          calls.campaign(calls.candidacy("cron", "cid", calls.session("cid"))).next().getElected();
      Refusal.of(fill(calls)).isExhausted(ErrorReason.ERROR_REASON_REQUEST_MEMORY_FULL);
      assertEquals(
          ReleaseResponse.Outcome.OUTCOME_RELEASED,
          calls
              .leases()
              .release(
                  ReleaseRequest.newBuilder()
                      .setNamespace(calls.namespace)
                      .setKey(lease.getKey())
                      .setToken(lease.getToken())
                      .setRequestId("release")
                      .build())
              .getOutcome());
      calls
          .leases()
          .closeSession(
              CloseSessionRequest.newBuilder()
                  .setNamespace(calls.namespace)
                  .setSessionId(session)
                  .setRequestId("close")
                  .build());
      assertEquals(
          ResignResponse.Outcome.OUTCOME_RESIGNED,
          calls
              .elections()
              .resign(
                  ResignRequest.newBuilder()
                      .setNamespace(calls.namespace)
                      .setElection("cron")
                      .setToken(leader.getToken())
                      .setRequestId("resign")
                      .build())
              .getOutcome());
    }
  }

  /** Until a request under an id is refused. */
  private static StatusRuntimeException fill(LeaseCalls calls) {
    for (int i = 0; ; i++) {
      try {
        acquire(calls, "r" + i);
      } catch (StatusRuntimeException refused) {
        return refused;
      }
    }
  }

  private static void acquire(LeaseCalls calls, String id) {
    calls
        .leases()
        .acquire(
            calls
                .wish("eve")
                .setKey(id)
                .setTtl(LONG)
                .setPayload(ByteString.copyFrom(new byte[4096]))
                .setRequestId(id)
                .build());
  }
}
