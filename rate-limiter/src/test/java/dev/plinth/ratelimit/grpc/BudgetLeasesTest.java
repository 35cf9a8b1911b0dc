package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse.Outcome;
import dev.plinth.ratelimit.v1.LeaseRule;
import dev.plinth.ratelimit.v1.ReturnBudgetRequest;
import dev.plinth.ratelimit.v1.ReturnBudgetResponse;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.call.Refusal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** LeaseBudget and ReturnBudget. */
@OnEachBudgets
class BudgetLeasesTest {
  @Parameter LimitServer server;
  private LimitCalls calls;

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
  }

  /** 100 at once, of which 40 may be out; servers lease nothing for themselves. */
  private static Rule.Builder leasable() {
    return LimitCalls.bucket("all", 100)
        .setLease(
            LeaseRule.newBuilder()
                .setMaxFractionPermille(400)
                .setHoldersHint(1)
                .setServerAbovePerSecond(-1)
                .setTtl(Durations.fromSeconds(60)));
  }

  private LeaseBudgetRequest.Builder wish(long want) {
    return LeaseBudgetRequest.newBuilder().setDomain(calls.domain).setWant(want).setHolder("ann");
  }

  private ReturnBudgetRequest.Builder rest(LeaseBudgetResponse of, long unused) {
    return ReturnBudgetRequest.newBuilder()
        .setDomain(calls.domain)
        .setLeaseId(of.getLease().getLeaseId())
        .setUnused(unused);
  }

  @Test
  void lease_isChargedInAdvance_upToTheShareThatMayBeOut() {
    calls.put(leasable());
    LeaseBudgetResponse first = calls.limits().leaseBudget(wish(30).build());
    assertEquals(Outcome.OUTCOME_LEASED, first.getOutcome());
    long granted = first.getLease().getGranted();
    assertTrue(granted > 0 && granted <= 30, "granted " + granted);
    assertTrue(Durations.toMillis(first.getLease().getValidFor()) > 0);
    assertEquals(1, first.getLease().getPolicyVersion());
    assertEquals(100 - granted, calls.left("all"));
    long out = granted;
    LeaseBudgetResponse next = calls.limits().leaseBudget(wish(1000).build());
    while (next.getOutcome() == Outcome.OUTCOME_LEASED) {
      out += next.getLease().getGranted();
      next = calls.limits().leaseBudget(wish(1000).build());
    }
    assertEquals(Outcome.OUTCOME_DENIED, next.getOutcome());
    assertTrue(out <= 40, "out are " + out);
    assertEquals(100 - out, calls.left("all"));
  }

  @Test
  void rest_isGivenBack_once() {
    calls.put(leasable());
    LeaseBudgetResponse lease = calls.limits().leaseBudget(wish(10).build());
    long granted = lease.getLease().getGranted();
    ReturnBudgetResponse returned = calls.limits().returnBudget(rest(lease, granted - 1).build());
    assertEquals(ReturnBudgetResponse.Outcome.OUTCOME_RETURNED, returned.getOutcome());
    assertEquals(granted - 1, returned.getRefunded());
    assertEquals(99, calls.left("all"));
    ReturnBudgetResponse again = calls.limits().returnBudget(rest(lease, granted - 1).build());
    assertEquals(ReturnBudgetResponse.Outcome.OUTCOME_NOT_FOUND, again.getOutcome());
    assertEquals(99, calls.left("all"));
  }

  @Test
  void moreThanWasLeased_cannotBeGivenBack() {
    calls.put(leasable());
    LeaseBudgetResponse lease = calls.limits().leaseBudget(wish(10).build());
    calls.limits().returnBudget(rest(lease, 1_000_000).build());
    assertEquals(100, calls.left("all"));
  }

  @Test
  void forgedLeaseIds_areNotFound_andAdmitNothing() {
    calls.put(
        leasable()
            .clearBurst()
            .setAlgorithm(Algorithm.ALGORITHM_FIXED_WINDOW)
            .setLimit(100)
            .setPeriod(Durations.fromDays(300)));
    for (String number : new String[] {".9223372036854775807", ".1000000000", ".-1", ".1e9", "."}) {
      LeaseBudgetResponse lease = calls.limits().leaseBudget(wish(1).build());
      String id = lease.getLease().getLeaseId().replaceAll("\\..*", "") + number;
      ReturnBudgetResponse returned =
          calls.limits().returnBudget(rest(lease, 0).setLeaseId(id).build());
      assertEquals(ReturnBudgetResponse.Outcome.OUTCOME_NOT_FOUND, returned.getOutcome(), id);
      LeaseBudgetRequest.Builder next = wish(1).setReturnLeaseId(id);
      assertEquals(Outcome.OUTCOME_LEASED, calls.limits().leaseBudget(next.build()).getOutcome());
    }
    assertEquals(90, calls.left("all"), "what was leased, no more and no less");
    int allowed = 0;
    for (int i = 0; i < 200; i++) {
      allowed += calls.check().getVerdict() == Verdict.VERDICT_ALLOW ? 1 : 0;
    }
    assertEquals(90, allowed);
  }

  @Test
  void renewal_givesBackAndLeases_inOneStep() {
    calls.put(leasable());
    LeaseBudgetResponse lease = calls.limits().leaseBudget(wish(10).build());
    long granted = lease.getLease().getGranted();
    LeaseBudgetResponse next =
        calls
            .limits()
            .leaseBudget(
                wish(10)
                    .setReturnLeaseId(lease.getLease().getLeaseId())
                    .setReturnUnused(granted)
                    .build());
    assertEquals(Outcome.OUTCOME_LEASED, next.getOutcome());
    assertNotEquals(lease.getLease().getLeaseId(), next.getLease().getLeaseId());
    assertEquals(100 - next.getLease().getGranted(), calls.left("all"));
    assertEquals(
        ReturnBudgetResponse.Outcome.OUTCOME_NOT_FOUND,
        calls.limits().returnBudget(rest(lease, 1).build()).getOutcome());
  }

  @Test
  void ruleWithoutLeases_andNoRule_areNotLeasable() {
    calls.put(leasable(), LimitCalls.bucket("per-user", 10, "user"));
    LeaseBudgetResponse mixed =
        calls
            .limits()
            .leaseBudget(wish(5).addAllDescriptors(LimitCalls.descriptors("user", "ann")).build());
    assertEquals(Outcome.OUTCOME_NOT_LEASABLE, mixed.getOutcome());
    assertEquals(100, calls.left("all"));
    LimitCalls other = new LimitCalls(server);
    other.put(LimitCalls.bucket("per-user", 10, "user"));
    assertEquals(
        Outcome.OUTCOME_NOT_LEASABLE,
        other.limits().leaseBudget(wish(5).setDomain(other.domain).build()).getOutcome());
  }

  @Test
  void requestSentAgain_leasesOnce() {
    calls.put(leasable());
    LeaseBudgetRequest.Builder once = wish(10).setRequestId("l");
    LeaseBudgetResponse lease = calls.limits().leaseBudget(once.build());
    LeaseBudgetResponse again = calls.limits().leaseBudget(once.build());
    assertEquals(lease.getLease().getLeaseId(), again.getLease().getLeaseId());
    assertEquals(lease.getLease().getGranted(), again.getLease().getGranted());
    assertEquals(100 - lease.getLease().getGranted(), calls.left("all"));
    Refusal.of(() -> calls.limits().leaseBudget(once.setWant(11).build()))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
    ReturnBudgetRequest.Builder rest = rest(lease, 1).setRequestId("b");
    assertEquals(1, calls.limits().returnBudget(rest.build()).getRefunded());
    assertEquals(1, calls.limits().returnBudget(rest.build()).getRefunded());
    Refusal.of(() -> calls.limits().returnBudget(rest.setUnused(2).build()))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
  }
}
