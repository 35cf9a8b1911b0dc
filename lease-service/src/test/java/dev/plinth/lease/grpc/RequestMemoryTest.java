package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.Policy;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.embedded.EmbeddedShardStore;
import dev.plinth.testkit.call.Refusal;
import io.micrometer.core.instrument.DistributionSummary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the shards remember of requests, and what it costs, as callers of leases see it. */
class RequestMemoryTest {
  private static final int CALLERS = 64;

  @Test
  void semaphoreAcquiredAgainAfterManyOtherRequests_holdsOnePermit() throws Exception {
    try (ShardServer server = ShardServer.embedded(LeaseWiring.WIRING)) {
      LeaseCalls calls = new LeaseCalls(server);
      calls.policy(
          Policy.newBuilder()
              .addSemaphores(SemaphoreRule.newBuilder().setKeyPrefix("gpu").setCapacity(2)));
      AcquireRequest spec =
          calls
              .wish("ann")
              .setKey("gpu")
              .setMode(Mode.MODE_SEMAPHORE)
              .setTtl(LONG)
              .setRequestId("gpu-1")
              .build();
      AcquireResponse first = calls.leases().acquire(spec);
      cycle(calls, 8_200);
      assertEquals(first, calls.leases().acquire(spec));
      assertEquals(1, calls.key("gpu").getHoldersCount());
    }
  }

  /** A release and a raised fence of the same fields are the same bytes. */
  @Test
  void idOfAnotherCall_isRefused_thoughTheBytesAreTheSame() {
    try (ShardServer server = ShardServer.embedded(LeaseWiring.WIRING)) {
      LeaseCalls calls = new LeaseCalls(server);
      Lease lease = calls.grant(calls.wish("ann").setTtl(LONG));
      ReleaseRequest release =
          ReleaseRequest.newBuilder()
              .setNamespace(calls.namespace)
              .setKey(lease.getKey())
              .setToken(lease.getToken())
              .setRequestId("r1")
              .build();
      RaiseFenceRequest raise =
          RaiseFenceRequest.newBuilder()
              .setNamespace(calls.namespace)
              .setResource(lease.getKey())
              .setToken(lease.getToken())
              .setRequestId("r1")
              .build();
      assertEquals(release.toByteString(), raise.toByteString());
      calls.leases().release(release);
      Refusal.of(() -> calls.leases().raiseFence(raise))
          .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
    }
  }

  @Test
  void cycleOfAcquireAndRelease_writesFewerThanTwoAndAHalfRows() throws Exception {
    try (ShardServer server = ShardServer.embedded(LeaseWiring.WIRING)) {
      LeaseCalls calls = new LeaseCalls(server);
      cycle(calls, 500);
      DistributionSummary writes = server.meters().get("plinth.shards.commit.writes").summary();
      double before = writes.totalAmount();
      int cycles = 4_000;
      cycle(calls, cycles);
      double rows = (writes.totalAmount() - before) / cycles;
      assertTrue(rows < 2.5, rows + " rows per cycle");
    }
  }

  @Test
  void resumeSecret_isInNoRow_andComesAgainWithItsRequest(@TempDir Path directory) {
    OpenSessionRequest opening;
    OpenSessionResponse opened;
    try (ShardServer server = ShardServer.embedded(LeaseWiring.WIRING, directory)) {
      LeaseCalls calls = new LeaseCalls(server);
      opening = calls.opening("ann").setTtl(LONG).setRequestId("open-1").build();
      opened = calls.leases().openSession(opening);
      assertEquals(opened, calls.leases().openSession(opening));
      server.restart();
      assertEquals(opened, calls.leases().openSession(opening));
      OpenSessionResponse resumed =
          calls
              .leases()
              .openSession(
                  OpenSessionRequest.newBuilder()
                      .setNamespace(calls.namespace)
                      .setResumeSessionId(opened.getSessionId())
                      .setResumeSecret(opened.getResumeSecret())
                      .build());
      assertTrue(resumed.getResumed());
    }
    List<String> rows = rows(directory);
    assertTrue(rows.stream().anyMatch(row -> row.contains(opened.getSessionId())), "they are seen");
    assertFalse(rows.stream().anyMatch(row -> row.contains(opened.getResumeSecret())));
  }

  private static List<String> rows(Path directory) {
    List<String> rows = new ArrayList<>();
    try (EmbeddedShardStore store = EmbeddedShardStore.open(directory, ShardServer.SHARDS)) {
      for (int i = 0; i < ShardServer.SHARDS; i++) {
        OwnedShard shard = store.claim(i).orElseThrow();
        for (Row row : shard.load()) {
          rows.add(row.key() + " " + new String(row.value(), StandardCharsets.ISO_8859_1));
        }
      }
    }
    return rows;
  }

  /** Acquires and releases a key each with request ids, many callers at a time. */
  private static void cycle(LeaseCalls calls, int cycles) throws Exception {
    AtomicInteger next = new AtomicInteger();
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(
          LeaseCalls.async(
              () -> {
                for (int n = next.getAndIncrement(); n < cycles; n = next.getAndIncrement()) {
                  cycle(calls, "key-" + n, System.nanoTime() + "-" + n);
                }
                return null;
              }));
    }
    for (CompletableFuture<Void> caller : callers) {
      LeaseCalls.get(caller);
    }
  }

  private static void cycle(LeaseCalls calls, String key, String id) {
    AcquireResponse answer =
        calls
            .leases()
            .acquire(calls.wish("bob").setKey(key).setTtl(LONG).setRequestId("a" + id).build());
    assertEquals(Outcome.OUTCOME_GRANTED, answer.getOutcome());
    Lease lease = answer.getLease();
    calls
        .leases()
        .release(
            ReleaseRequest.newBuilder()
                .setNamespace(calls.namespace)
                .setKey(lease.getKey())
                .setToken(lease.getToken())
                .setRequestId("r" + id)
                .build());
  }
}
