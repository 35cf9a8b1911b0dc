package dev.plinth.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.id.RangeIdGenerator;
import dev.plinth.client.id.SnowflakeIdGenerator;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.client.limit.Limiter;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Match;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a user of the extension relies on, by the API that a user has. */
class PlinthExtensionTest {
  /** Of a client's sessions, if it says nothing else. */
  private static final Duration TTL = Duration.ofSeconds(10);

  @RegisterExtension static final PlinthExtension plinth = PlinthExtension.create();

  @Test
  void lease_runsOut_whenTheClockMoves() throws Exception {
    LeaseHandle lease = plinth.client().leases().tryAcquire("runs-out").orElseThrow();
    CountDownLatch lost = new CountDownLatch(1);
    lease.onLost(lost::countDown);
    try (PlinthClient other = plinth.clientBuilder().owner("other").build()) {
      assertTrue(other.leases().tryAcquire("runs-out").isEmpty());
      plinth.clock().advance(TTL);
      assertEquals(LeaseState.LOST, lease.state());
      LeaseHandle next = other.leases().tryAcquire("runs-out").orElseThrow();
      assertTrue(next.token() > lease.token());
    }
    assertTrue(lost.await(10, TimeUnit.SECONDS));
  }

  @Test
  void lease_isKept_overStepsShorterThanAThirdOfItsTtl() throws Exception {
    try (LeaseHandle lease = plinth.client().leases().tryAcquire("kept").orElseThrow()) {
      for (int i = 0; i < 50; i++) {
        plinth.clock().advance(TTL.dividedBy(4));
        assertEquals(LeaseState.SAFE, lease.state(), "after step " + i);
      }
    }
  }

  @Test
  void waiter_getsTheLease_ofAClientThatFellSilent() throws Exception {
    try (PlinthClient silent = PlinthClient.connect(plinth.address())) {
      LeaseHandle held = silent.leases().tryAcquire("passed-on").orElseThrow();
      CompletableFuture<Optional<LeaseHandle>> waiter = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  waiter.complete(
                      plinth.client().leases().acquire("passed-on", Duration.ofHours(1)));
                } catch (Exception e) {
                  waiter.completeExceptionally(e);
                }
              });
      thread.start();
      Await.until(
          "the waiter has it",
          () -> {
            plinth.clock().advance(Duration.ofSeconds(2));
            return waiter.isDone();
          });
      assertTrue(waiter.get().orElseThrow().token() > held.token());
      thread.join();
    }
  }

  @Test
  void ids_areDense_andSnowflakesTellTheTimeOfTheClock() throws Exception {
    put("orders", Format.FORMAT_DENSE);
    put("events", Format.FORMAT_SNOWFLAKE);
    try (RangeIdGenerator orders = plinth.client().ids().range("orders");
        SnowflakeIdGenerator events = plinth.client().ids().snowflake("events")) {
      assertEquals(1, orders.next());
      assertEquals(2, orders.next());
      plinth.clock().advance(Duration.ofSeconds(1));
      Instant made = events.parse(events.next()).time();
      assertEquals(plinth.clock().instant(), made);
    }
  }

  @Test
  void limit_refills_whenTheClockMoves() throws Exception {
    RateLimitServiceGrpc.newBlockingStub(plinth.channel()).putPolicy(twoPerSecond("api"));
    Limiter acme = plinth.client().limits().of("api", Map.of("tenant", "acme"));
    assertTrue(acme.tryAcquire());
    assertTrue(acme.tryAcquire());
    assertFalse(acme.tryAcquire());
    plinth.clock().advance(Duration.ofMillis(499));
    assertFalse(acme.tryAcquire());
    plinth.clock().advance(Duration.ofMillis(1));
    assertTrue(acme.tryAcquire());
    assertFalse(acme.tryAcquire());
  }

  @Test
  void waitForALimit_ends_whenTheClockMoves() throws Exception {
    RateLimitServiceGrpc.newBlockingStub(plinth.channel()).putPolicy(twoPerSecond("waited"));
    Limiter acme = plinth.client().limits().of("waited", Map.of("tenant", "acme"));
    assertTrue(acme.acquire(2, Duration.ZERO));
    CompletableFuture<Boolean> third = acme.acquireAsync(1, Duration.ofMinutes(1));
    Await.until(
        "it is admitted",
        () -> {
          plinth.clock().advance(Duration.ofMillis(100));
          return third.isDone();
        });
    assertTrue(third.get());
  }

  @Test
  void clock_doesNotGoBack_andCountsWholeMilliseconds() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> plinth.clock().advance(Duration.ofSeconds(-1)));
    assertEquals("by: PT-1S (expected: not negative)", refused.getMessage());
    Instant before = plinth.clock().instant();
    plinth.clock().advance(Duration.ofNanos(1));
    assertEquals(before.plusMillis(1), plinth.clock().instant());
  }

  @Nested
  class InANestedClass {
    @Test
    void server_isTheSame() throws Exception {
      assertTrue(plinth.client().leases().tryAcquire("nested").isPresent());
    }
  }

  private static void put(String namespace, Format format) {
    IdServiceGrpc.newBlockingStub(plinth.channel())
        .putNamespace(
            PutNamespaceRequest.newBuilder()
                .setNamespace(namespace)
                .setDefinition(Definition.newBuilder().setFormat(format))
                .build());
  }

  private static PutPolicyRequest twoPerSecond(String domain) {
    return PutPolicyRequest.newBuilder()
        .setDomain(domain)
        .addRules(
            Rule.newBuilder()
                .setName("per-tenant")
                .addMatch(Match.newBuilder().setKey("tenant"))
                .setAlgorithm(Algorithm.ALGORITHM_TOKEN_BUCKET)
                .setLimit(2)
                .setPeriod(Durations.fromSeconds(1))
                .setBurst(2))
        .build();
  }
}
