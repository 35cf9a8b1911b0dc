package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Calendar;
import dev.plinth.ratelimit.v1.DeletePolicyRequest;
import dev.plinth.ratelimit.v1.FailMode;
import dev.plinth.ratelimit.v1.GetPolicyRequest;
import dev.plinth.ratelimit.v1.LeaseRule;
import dev.plinth.ratelimit.v1.ListPoliciesRequest;
import dev.plinth.ratelimit.v1.ListPoliciesResponse;
import dev.plinth.ratelimit.v1.OnChange;
import dev.plinth.ratelimit.v1.Policy;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.ratelimit.v1.WatchPoliciesRequest;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.RecordedStream;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Policies: put, get, list, delete, watch. */
@OnEachBudgets
class PolicyEndpointTest {
  @Parameter LimitServer server;
  private LimitCalls calls;

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
  }

  private Policy get() {
    return calls
        .limits()
        .getPolicy(GetPolicyRequest.newBuilder().setDomain(calls.domain).build())
        .getPolicy();
  }

  private DeletePolicyRequest.Builder delete() {
    return DeletePolicyRequest.newBuilder().setDomain(calls.domain);
  }

  private PutPolicyRequest.Builder put() {
    return PutPolicyRequest.newBuilder()
        .setDomain(calls.domain)
        .addRules(LimitCalls.bucket("all", 5));
  }

  @Test
  void policy_isFilledIn_andCanBePutBack_overARestartToo() {
    Rule.Builder bare =
        Rule.newBuilder()
            .setName("day")
            .setAlgorithm(Algorithm.ALGORITHM_CALENDAR_WINDOW)
            .setLimit(5)
            .setCalendar(Calendar.CALENDAR_DAY);
    Rule.Builder bucket =
        Rule.newBuilder()
            .setName("odd")
            .setAlgorithm(Algorithm.ALGORITHM_TOKEN_BUCKET)
            .setLimit(70)
            .setPeriod(Durations.fromMinutes(1))
            .setLease(LeaseRule.getDefaultInstance());
    Policy made = calls.put(bare, bucket);
    assertEquals(
        List.of(
            bare.setZone("UTC")
                .setEnforcePermille(1000)
                .setFailMode(FailMode.FAIL_MODE_LOCAL)
                .setOnChange(OnChange.ON_CHANGE_AS_IS)
                .setVersion(1)
                .build(),
            bucket
                .setBurst(70)
                .setEnforcePermille(1000)
                .setFailMode(FailMode.FAIL_MODE_LOCAL)
                .setOnChange(OnChange.ON_CHANGE_AS_IS)
                .setVersion(1)
                .setLease(
                    LeaseRule.newBuilder()
                        .setMaxFractionPermille(100)
                        .setTtl(Durations.fromMillis(500))
                        .setHoldersHint(8)
                        .setServerAbovePerSecond(1000))
                .build()),
        made.getRulesList());
    assertTrue(made.hasChangedAt());
    server.restart();
    assertEquals(made, get());
    Policy again =
        calls
            .limits()
            .putPolicy(
                PutPolicyRequest.newBuilder()
                    .setDomain(calls.domain)
                    .addAllRules(made.getRulesList())
                    .build())
            .getPolicy();
    assertEquals(2, again.getVersion());
    assertEquals(made.getRulesList(), again.getRulesList(), "and no rule counts otherwise");
  }

  @Test
  void put_comparesTheVersion_andSentAgainCountsOnce() {
    PutPolicyRequest once = put().setExpectedVersion(0).setRequestId("p").build();
    Policy made = calls.limits().putPolicy(once).getPolicy();
    assertEquals(made, calls.limits().putPolicy(once).getPolicy());
    Refusal conflict =
        Refusal.of(() -> calls.limits().putPolicy(put().setExpectedVersion(0).build()));
    conflict.is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_REVISION_CONFLICT);
    assertEquals("1", conflict.metadata().get("current"));
    Refusal.of(() -> calls.limits().putPolicy(put().setRequestId("p").build()))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
  }

  @Test
  void slidingLogAbove100_isRefused_andNamesTheCounter() {
    Rule.Builder log =
        LimitCalls.bucket("log", 0).setAlgorithm(Algorithm.ALGORITHM_SLIDING_LOG).setLimit(100);
    calls.put(log);
    StatusRuntimeException refused =
        assertThrows(StatusRuntimeException.class, () -> calls.put(log.setLimit(101)));
    Refusal.of(() -> calls.put(log))
        .isOfField("rules[0].limit", ErrorReason.ERROR_REASON_FIELD_INVALID);
    String why = refused.getMessage();
    assertTrue(why.contains("101 (expected: 1..100,"), why);
    assertTrue(why.contains("ALGORITHM_SLIDING_COUNTER"), why);
    assertEquals(1, get().getVersion());
  }

  @Test
  void delete_endsTheChecks_andTheVersionGoesOn() {
    assertFalse(calls.limits().deletePolicy(delete().build()).getDeleted());
    calls.limits().putPolicy(put().build());
    calls.check();
    Refusal.of(() -> calls.limits().deletePolicy(delete().setExpectedVersion(2).build()))
        .is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_REVISION_CONFLICT);
    DeletePolicyRequest once = delete().setExpectedVersion(1).setRequestId("d").build();
    assertTrue(calls.limits().deletePolicy(once).getDeleted());
    assertTrue(calls.limits().deletePolicy(once).getDeleted(), "the first answer");
    Refusal.of(this::get).is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_POLICY_UNKNOWN);
    Await.until(
        "checks are refused",
        () -> {
          try {
            calls.check();
            return false;
          } catch (io.grpc.StatusRuntimeException e) {
            return e.getStatus().getCode() == Status.Code.NOT_FOUND;
          }
        });
    Policy again = calls.limits().putPolicy(put().setExpectedVersion(0).build()).getPolicy();
    assertEquals(3, again.getVersion());
  }

  @Test
  void changedLimit_isFollowedAtOnce_andBudgetsKeepWhatIsLeft() {
    calls.put(LimitCalls.bucket("all", 10));
    for (int i = 0; i < 4; i++) {
      calls.check();
    }
    long version = calls.put(LimitCalls.bucket("all", 5)).getVersion();
    var decision = calls.check(calls.wish().setMinPolicyVersion(version));
    assertEquals(4, decision.getLimits(0).getRemaining(), "6 were left, at most 5 are");
    version =
        calls.put(LimitCalls.bucket("all", 20).setOnChange(OnChange.ON_CHANGE_RESET)).getVersion();
    decision = calls.check(calls.wish().setMinPolicyVersion(version));
    assertEquals(19, decision.getLimits(0).getRemaining());
  }

  @Test
  void list_hasEveryPolicyOnce_whateverThePageSize() {
    Set<String> made = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      String name = calls.domain + "-" + i;
      calls.limits().putPolicy(put().setDomain(name).build());
      made.add(name);
    }
    for (int size : new int[] {1, 5, 1000}) {
      List<String> found = new ArrayList<>();
      String token = "";
      do {
        ListPoliciesResponse page =
            calls
                .limits()
                .listPolicies(
                    ListPoliciesRequest.newBuilder().setPageSize(size).setPageToken(token).build());
        assertTrue(page.getPoliciesCount() <= size);
        page.getPoliciesList().stream().map(Policy::getDomain).forEach(found::add);
        token = page.getNextPageToken();
      } while (!token.isEmpty());
      assertEquals(found.size(), new HashSet<>(found).size());
      assertTrue(found.containsAll(made));
    }
  }

  private RecordedStream<WatchPoliciesRequest, WatchPoliciesResponse> watch(String resumeToken) {
    RecordedStream<WatchPoliciesRequest, WatchPoliciesResponse> recordedStream =
        new RecordedStream<>();
    RateLimitServiceGrpc.newStub(server.channel())
        .watchPolicies(
            WatchPoliciesRequest.newBuilder()
                .setDomain(calls.domain)
                .setResumeToken(resumeToken)
                .build(),
            recordedStream);
    return recordedStream;
  }

  @Test
  void watch_showsThePolicyOfNow_thenEveryChange() {
    var watch = watch("");
    WatchPoliciesResponse none = watch.next();
    assertTrue(none.hasSnapshot());
    assertFalse(none.getSnapshot().hasPolicy());
    LimitCalls other = new LimitCalls(server);
    other.put(LimitCalls.bucket("all", 5));
    Policy first = calls.put(LimitCalls.bucket("all", 5));
    WatchPoliciesResponse change = watch.next(WatchPoliciesResponse::hasChange);
    assertEquals(first, change.getChange().getPolicy());
    Policy second = calls.put(LimitCalls.bucket("all", 6));
    assertEquals(second, watch.next(WatchPoliciesResponse::hasChange).getChange().getPolicy());
    calls.limits().deletePolicy(delete().build());
    assertFalse(watch.next(WatchPoliciesResponse::hasChange).getChange().hasPolicy());
    watch.next(WatchPoliciesResponse::hasProgress);
    watch.cancel();
    var resumed = watch(change.getResumeToken());
    assertEquals(second, resumed.next(WatchPoliciesResponse::hasChange).getChange().getPolicy());
    assertFalse(resumed.next(WatchPoliciesResponse::hasChange).getChange().hasPolicy());
    resumed.cancel();
  }

  @Test
  void watch_tellsOfAGap_andStartsAgain() {
    String token = watch("").next().getResumeToken();
    Policy made = calls.put(LimitCalls.bucket("all", 5));
    server.restart();
    var watch = watch(token);
    assertTrue(watch.next().hasGap());
    assertEquals(made, watch.next().getSnapshot().getPolicy());
    watch.cancel();
  }
}
