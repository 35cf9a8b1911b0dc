package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.InspectResponse;
import dev.plinth.ratelimit.v1.KeyState;
import dev.plinth.ratelimit.v1.ResetKeyRequest;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Inspect and ResetKey. */
@OnEachBudgets
class KeysTest {
  @Parameter LimitServer server;
  private LimitCalls calls;

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
  }

  private ResetKeyRequest.Builder reset(String... keysAndValues) {
    return ResetKeyRequest.newBuilder()
        .setDomain(calls.domain)
        .addAllDescriptors(LimitCalls.descriptors(keysAndValues))
        .setReason("support ticket");
  }

  private static List<String> keys(List<KeyState> states) {
    return states.stream().map(KeyState::getKey).toList();
  }

  @Test
  void inspect_showsEveryBudget_andChangesNothing() {
    calls.put(
        LimitCalls.bucket("per-user", 5, "user"),
        LimitCalls.bucket("trial", 5).setShadow(true),
        LimitCalls.slots("jobs", 3));
    KeyState untouched = calls.inspect("user", "ann").getKeys(0);
    assertEquals(0, untouched.getRuleVersion(), "nothing is stored yet");
    calls.check("user", "ann");
    InspectResponse seen = calls.inspect("user", "ann");
    assertEquals(DecidedBy.DECIDED_BY_STORE, seen.getDecidedBy());
    assertEquals(1, seen.getPolicyVersion());
    assertEquals(List.of("per-user|user=ann", "jobs", "~trial"), order(keys(seen.getKeysList())));
    KeyState state = seen.getKeys(0);
    assertEquals(4, state.getStatus().getRemaining());
    assertEquals(Algorithm.ALGORITHM_TOKEN_BUCKET, state.getAlgorithm());
    assertEquals(1, state.getRuleVersion());
    assertTrue(state.getBoundPerPeriod() >= 5);
    assertEquals(
        seen.getKeysList(),
        calls.inspect("user", "ann").getKeysList().stream().map(k -> same(k, seen)).toList());
  }

  /** Time goes on between two looks. */
  private static KeyState same(KeyState state, InspectResponse before) {
    KeyState.Builder later = state.toBuilder();
    before.getKeysList().stream()
        .filter(key -> key.getKey().equals(state.getKey()))
        .forEach(key -> later.getStatusBuilder().setResetAfter(key.getStatus().getResetAfter()));
    return later.build();
  }

  private static List<String> order(List<String> keys) {
    return keys.stream()
        .sorted((a, b) -> Boolean.compare(a.startsWith("~"), b.startsWith("~")))
        .toList();
  }

  @Test
  void inspect_ofNothingThatMatches_saysSo() {
    calls.put(LimitCalls.bucket("per-user", 5, "user"));
    InspectResponse nothing = calls.inspect("route", "/");
    assertEquals(0, nothing.getKeysCount());
    assertEquals(DecidedBy.DECIDED_BY_NO_RULE, nothing.getDecidedBy());
  }

  @Test
  void reset_beginsAnew_andTheNextCheckPasses() {
    calls.put(LimitCalls.bucket("per-user", 1, "user"), LimitCalls.bucket("all", 9));
    calls.check("user", "ann");
    for (int i = 0; i < 3; i++) {
      assertEquals(Verdict.VERDICT_DENY, calls.check("user", "ann").getVerdict());
    }
    var reset = calls.limits().resetKey(reset("user", "ann").setRule("per-user").build());
    assertEquals(List.of("per-user|user=ann"), keys(reset.getKeysList()));
    assertEquals(1, reset.getKeys(0).getStatus().getRemaining());
    assertEquals(8, calls.left("all"), "only the rule that was named");
    assertEquals(Verdict.VERDICT_ALLOW, calls.check("user", "ann").getVerdict());
    assertEquals(2, calls.limits().resetKey(reset("user", "ann").build()).getKeysCount());
    assertEquals(9, calls.left("all"));
  }

  @Test
  void requestSentAgain_resetsOnce() {
    calls.put(LimitCalls.bucket("all", 1));
    calls.check();
    ResetKeyRequest.Builder once = reset().setRequestId("r");
    calls.limits().resetKey(once.build());
    assertEquals(Verdict.VERDICT_ALLOW, calls.check().getVerdict());
    calls.limits().resetKey(once.build());
    assertEquals(0, calls.left("all"));
    Refusal.of(() -> calls.limits().resetKey(once.setReason("other").build()))
        .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
  }

  @Test
  void unknownDomain_isNotFound() {
    Refusal.of(() -> calls.inspect())
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_POLICY_UNKNOWN);
    Refusal.of(() -> calls.limits().resetKey(reset().build()))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_POLICY_UNKNOWN);
  }
}
