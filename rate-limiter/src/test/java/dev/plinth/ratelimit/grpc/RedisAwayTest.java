package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.admin.v1.EngineState;
import dev.plinth.admin.v1.GetStatusRequest;
import dev.plinth.admin.v1.GetStatusResponse;
import dev.plinth.admin.v1.HealthState;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.FailMode;
import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import dev.plinth.ratelimit.v1.LeaseRule;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What callers see while Redis is killed, paused, restarted or without its script. */
class RedisAwayTest {
  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private LimitServer server;
  private LimitCalls calls;

  @BeforeEach
  void start() {
    server = LimitServer.onRedis(REDIS.hostPorts(), "--store-budget=200ms", "--max-backoff=200ms");
    calls = new LimitCalls(server);
    calls.put(
        rule("local", FailMode.FAIL_MODE_LOCAL).setSafeLimit(7),
        rule("open", FailMode.FAIL_MODE_OPEN),
        rule("closed", FailMode.FAIL_MODE_CLOSED),
        rule("leased", FailMode.FAIL_MODE_LOCAL)
            .setLease(LeaseRule.newBuilder().setServerAbovePerSecond(-1)),
        LimitCalls.slots("places", 3));
    awaitDecidedBy(DecidedBy.DECIDED_BY_STORE, "local");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Rule.Builder rule(String name, FailMode mode) {
    return LimitCalls.bucket(name, 1000, name).setLimit(1000).setFailMode(mode);
  }

  private Decision check(String rule) {
    return calls.check(rule, "x");
  }

  private void awaitDecidedBy(DecidedBy by, String rule) {
    Await.until(rule + " is decided by " + by, () -> check(rule).getDecidedBy() == by);
  }

  private void isDecidedByTheFailModes() {
    awaitDecidedBy(DecidedBy.DECIDED_BY_LOCAL_FALLBACK, "local");
    awaitDecidedBy(DecidedBy.DECIDED_BY_OPEN, "open");
    assertEquals(Verdict.VERDICT_ALLOW, check("open").getVerdict());
    awaitDecidedBy(DecidedBy.DECIDED_BY_CLOSED, "closed");
    assertEquals(Verdict.VERDICT_DENY, check("closed").getVerdict());
    for (int i = 0; i < 10; i++) {
      check("local");
    }
    assertEquals(Verdict.VERDICT_DENY, check("local").getVerdict(), "the safe limit is 7");
  }

  private GetStatusResponse status() {
    return AdminServiceGrpc.newBlockingStub(server.channel())
        .getStatus(GetStatusRequest.getDefaultInstance());
  }

  private EngineState budgets() {
    return status().getEnginesList().stream()
        .filter(engine -> engine.getName().equals("budgets"))
        .findFirst()
        .orElseThrow()
        .getState();
  }

  @Test
  void killed_theFailModesDecide_andItComesBackByItself() {
    long left = calls.left("local", "local", "x");
    REDIS.kill();
    isDecidedByTheFailModes();
    Await.until("the engine is seen down", () -> budgets() == EngineState.ENGINE_STATE_DOWN);
    assertEquals(HealthState.HEALTH_STATE_SERVING, status().getState(), "and calls answered");
    assertTrue(
        status().getServicesList().stream()
            .filter(service -> service.getName().contains("RateLimit"))
            .allMatch(service -> service.getState() == HealthState.HEALTH_STATE_SERVING));
    REDIS.restart();
    awaitDecidedBy(DecidedBy.DECIDED_BY_STORE, "local");
    awaitDecidedBy(DecidedBy.DECIDED_BY_STORE, "closed");
    assertEquals(Verdict.VERDICT_ALLOW, check("closed").getVerdict());
    assertTrue(calls.left("local", "local", "x") < left, "what was charged before stays charged");
    Await.until("the engine is seen up", () -> budgets() == EngineState.ENGINE_STATE_UP);
  }

  @Test
  void paused_theFailModesDecide_andItComesBackByItself() {
    REDIS.pause();
    isDecidedByTheFailModes();
    REDIS.resume();
    awaitDecidedBy(DecidedBy.DECIDED_BY_STORE, "local");
    awaitDecidedBy(DecidedBy.DECIDED_BY_STORE, "open");
  }

  @Test
  void slotsAskedForWhilePaused_andRefused_areNotTakenAfterwards() {
    calls.put(
        rule("local", FailMode.FAIL_MODE_LOCAL),
        LimitCalls.slots("few", 3).setFailMode(FailMode.FAIL_MODE_CLOSED));
    AcquireSlotRequest request =
        AcquireSlotRequest.newBuilder()
            .setDomain(calls.domain)
            .setTtl(Durations.fromHours(1))
            .build();
    Await.until(
        "one is held under the new policy",
        () -> calls.limits().acquireSlot(request).getLimits(0).getRule().equals("few"));
    REDIS.pause();
    var refused = calls.limits().acquireSlot(request);
    assertEquals(DecidedBy.DECIDED_BY_CLOSED, refused.getDecidedBy());
    REDIS.resume();
    awaitDecidedBy(DecidedBy.DECIDED_BY_STORE, "local");
    Await.until("only that one is held", () -> calls.left("few") == 2);
  }

  @Test
  void slotOfACallerThatHasGone_isNotTakenAfterwards() {
    try (LimitServer patient = LimitServer.onRedis(REDIS.hostPorts(), "--store-budget=10s")) {
      LimitCalls other = new LimitCalls(patient);
      other.put(LimitCalls.slots("few", 3));
      AcquireSlotRequest request =
          AcquireSlotRequest.newBuilder()
              .setDomain(other.domain)
              .setTtl(Durations.fromHours(1))
              .build();
      assertEquals(2, other.limits().acquireSlot(request).getLimits(0).getRemaining());
      REDIS.pause();
      var hasty = other.limits().withDeadlineAfter(1, TimeUnit.SECONDS);
      assertThrows(StatusRuntimeException.class, () -> hasty.acquireSlot(request));
      REDIS.resume();
      Await.until("only the first is held", () -> other.left("few") == 2);
    }
  }

  @Test
  void restarted_nothingIsForgotten() {
    calls.check(calls.wish("closed", "y").setCost(900));
    REDIS.restart();
    awaitDecidedBy(DecidedBy.DECIDED_BY_STORE, "local");
    assertEquals(100, calls.left("closed", "closed", "y"));
  }

  @Test
  void scriptFlushed_nobodyNotices() {
    calls.check(calls.wish("closed", "z").setCost(10));
    RedisClient client = RedisClient.create("redis://" + REDIS.hostPorts());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      for (int i = 0; i < 3; i++) {
        connection.sync().scriptFlush();
        Decision next = calls.check(calls.wish("closed", "z").setCost(10));
        assertEquals(Verdict.VERDICT_ALLOW, next.getVerdict());
        assertEquals(DecidedBy.DECIDED_BY_STORE, next.getDecidedBy());
      }
    } finally {
      client.shutdown();
    }
    assertEquals(960, calls.left("closed", "closed", "z"));
  }

  @Test
  void otherCalls_areRefused_orSaySoInTheirAnswer() {
    REDIS.kill();
    awaitDecidedBy(DecidedBy.DECIDED_BY_CLOSED, "closed");
    Decision reserved =
        calls
            .limits()
            .reserve(
                ReserveRequest.newBuilder()
                    .setDomain(calls.domain)
                    .addAllDescriptors(LimitCalls.descriptors("open", "x"))
                    .build())
            .getDecision();
    assertEquals(DecidedBy.DECIDED_BY_OPEN, reserved.getDecidedBy());
    Refusal.of(
            () ->
                calls
                    .limits()
                    .settle(
                        SettleRequest.newBuilder()
                            .setDomain(calls.domain)
                            .setReservationId("r")
                            .build()))
        .is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_STORE_UNAVAILABLE);
    Refusal.of(() -> calls.inspect("open", "x"))
        .is(Status.Code.UNAVAILABLE, ErrorReason.ERROR_REASON_STORE_UNAVAILABLE);
    assertEquals(
        LeaseBudgetResponse.Outcome.OUTCOME_NOT_LEASABLE,
        calls
            .limits()
            .leaseBudget(
                LeaseBudgetRequest.newBuilder()
                    .setDomain(calls.domain)
                    .addAllDescriptors(LimitCalls.descriptors("leased", "x"))
                    .setWant(5)
                    .build())
            .getOutcome());
    var slot =
        calls.limits().acquireSlot(AcquireSlotRequest.newBuilder().setDomain(calls.domain).build());
    assertEquals(DecidedBy.DECIDED_BY_LOCAL_FALLBACK, slot.getDecidedBy());
    assertEquals(List.of("places"), List.of(slot.getLimits(0).getRule()));
  }
}
