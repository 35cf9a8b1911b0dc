package dev.plinth.id.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import com.google.rpc.RetryInfo;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.v1.AdvanceSequenceRequest;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.id.v1.Order;
import dev.plinth.id.v1.ParseRequest;
import dev.plinth.id.v1.ParseResponse;
import dev.plinth.id.v1.Range;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.id.v1.ReturnRangeResponse.Outcome;
import dev.plinth.id.v1.TextForm;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Dense namespaces: every outcome and refusal. */
@OnEachStore(IdWiring.class)
class SequencesTest {
  @Parameter ShardServer server;
  private IdCalls calls;

  @BeforeEach
  void begin() {
    calls = new IdCalls(server).define();
  }

  @Test
  void I1_idsRise_andGoOnHigherAfterARestart() {
    AllocateResponse first = calls.allocate(calls.dense, 3);
    assertEquals(AllocateResponse.newBuilder().setFirst(1).setCount(3).setStep(1).build(), first);
    assertEquals(4, calls.allocate(calls.dense, 0).getFirst());
    long next = calls.get(calls.dense).getNext();
    server.restart();
    assertEquals(next, calls.allocate(calls.dense, 1).getFirst());
    ledgerAddsUp();
  }

  @Test
  void I8_requestSentAgain_getsTheFirstAnswer_overARestartToo() {
    AllocateRequest allocate = IdCalls.allocation(calls.dense, 2).setRequestId("a").build();
    LeaseRangeRequest lease = calls.range(20).setRequestId("b").build();
    calls.allocate(calls.dense, 1);
    AllocateResponse ids = calls.ids().allocate(allocate);
    LeaseRangeResponse range = calls.ids().leaseRange(lease);
    for (int i = 0; i < 2; i++) {
      calls.allocate(calls.dense, 1);
      assertEquals(ids, calls.ids().allocate(allocate));
      assertEquals(range, calls.ids().leaseRange(lease));
      server.restart();
    }
    ReturnRangeRequest giveBack = giving(calls.lease(20), 5).setRequestId("c").build();
    ReturnRangeResponse returned = calls.ids().returnRange(giveBack);
    assertEquals(Outcome.OUTCOME_RECLAIMED, returned.getOutcome());
    server.restart();
    assertEquals(returned, calls.ids().returnRange(giveBack));
  }

  @Test
  void range_isReclaimed_wasted_orNotOut() {
    Range old = calls.lease(20);
    Range newest = calls.lease(20);
    assertEquals(old.getFirst() + 20, newest.getFirst());
    assertEquals(20, newest.getCount());
    assertEquals(Durations.fromHours(1), newest.getValidFor());
    assertTrue(newest.getSuggestedNext() >= 10);
    returned(newest, 5, Outcome.OUTCOME_RECLAIMED, 15);
    returned(newest, 5, Outcome.OUTCOME_NOT_OUT, 0);
    returned(old, 5, Outcome.OUTCOME_WASTED, 15);
    assertEquals(newest.getFirst() + 5, calls.allocate(calls.dense, 1).getFirst());
    Range kept = calls.lease(20);
    Refusal.of(() -> calls.ids().returnRange(giving(kept, 21).build()))
        .isOfField("used", ErrorReason.ERROR_REASON_FIELD_INVALID);
    assertEquals(15, calls.get(calls.dense).getLedger().getWasted());
    assertEquals(11, calls.get(calls.dense).getLedger().getIssued());
    ledgerAddsUp();
  }

  private static ReturnRangeRequest.Builder giving(Range range, long used) {
    return ReturnRangeRequest.newBuilder()
        .setNamespace(range.getNamespace())
        .setLeaseId(range.getLeaseId())
        .setUsed(used);
  }

  private void returned(Range range, long used, Outcome outcome, long count) {
    ReturnRangeResponse response = calls.ids().returnRange(giving(range, used).build());
    assertEquals(outcome, response.getOutcome());
    assertEquals(count, response.getReturned());
  }

  @Test
  void strict_hasNoRanges() {
    calls.put("strict-" + calls.dense, IdCalls.dense().setOrder(Order.ORDER_STRICT));
    assertEquals(1, calls.allocate("strict-" + calls.dense, 1).getFirst());
    assertEquals(2, calls.allocate("strict-" + calls.dense, 1).getFirst());
    Refusal.of(
            () ->
                calls
                    .ids()
                    .leaseRange(calls.range(1).setNamespace("strict-" + calls.dense).build()))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_WRONG_FORMAT);
  }

  @Test
  void exhaustedSequence_isRefused_beforeMaxIsPassed() {
    calls.put(calls.dense, IdCalls.dense().setMax(3));
    calls.allocate(calls.dense, 2);
    Refusal.of(() -> calls.allocate(calls.dense, 2))
        .isExhausted(ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED);
    assertEquals(3, calls.allocate(calls.dense, 1).getFirst());
    Refusal.of(() -> calls.lease(1)).isExhausted(ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED);
    assertEquals(0, calls.get(calls.dense).getIdsLeft());
    assertEquals(0, calls.get(calls.dense).getNext());
  }

  @Test
  void quotas_areRefused_withADelay() {
    calls.put(calls.dense, IdCalls.dense().setMaxOutstanding(15));
    assertEquals(15, calls.lease(20).getCount());
    Refusal full = Refusal.of(() -> calls.lease(20));
    full.isExhausted(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED);
    assertTrue(Durations.isPositive(full.detail(RetryInfo.class).getRetryDelay()));
    calls.put(calls.dense, IdCalls.dense().setMaxPerSecond(1));
    calls.allocate(calls.dense, 1000);
    Refusal fast = Refusal.of(() -> calls.allocate(calls.dense, 1));
    fast.isExhausted(ErrorReason.ERROR_REASON_RATE_EXCEEDED);
    assertTrue(Durations.isPositive(fast.detail(RetryInfo.class).getRetryDelay()));
  }

  @Test
  void advance_goesForwardOnly() {
    assertEquals(1000, advance(1000).getNext());
    assertEquals(1000, calls.allocate(calls.dense, 1).getFirst());
    advance(5);
    assertEquals(1001, calls.allocate(calls.dense, 1).getFirst());
    calls.put("few-" + calls.dense, IdCalls.dense().setMax(9));
    Refusal.of(
            () ->
                calls
                    .ids()
                    .advanceSequence(
                        AdvanceSequenceRequest.newBuilder()
                            .setNamespace("few-" + calls.dense)
                            .setTo(10)
                            .build()))
        .isOfField("to", ErrorReason.ERROR_REASON_FIELD_INVALID);
    ledgerAddsUp();
  }

  private NamespaceStatus advance(long to) {
    return calls
        .ids()
        .advanceSequence(
            AdvanceSequenceRequest.newBuilder().setNamespace(calls.dense).setTo(to).build())
        .getStatus();
  }

  @Test
  void parse_readsEveryForm() {
    calls.allocate(calls.dense, 100);
    Map<TextForm, String> texts =
        Map.of(
            TextForm.TEXT_FORM_UNSPECIFIED,
            "75",
            TextForm.TEXT_FORM_CROCKFORD,
            "2b",
            TextForm.TEXT_FORM_BASE62,
            "1D",
            TextForm.TEXT_FORM_HEX,
            "0x4b");
    texts.forEach(
        (form, text) ->
            assertEquals(
                ParseResponse.newBuilder().setId(75).setPosition(74).setIssued(true).build(),
                calls
                    .ids()
                    .parse(
                        ParseRequest.newBuilder()
                            .setNamespace(calls.dense)
                            .setId(text)
                            .setForm(form)
                            .build())));
  }

  @Test
  void metrics_showTheLedger() {
    calls.allocate(calls.dense, 7);
    double sum = 0;
    for (String part : new String[] {"issued", "wasted", "outstanding"}) {
      sum += server.meters().get("plinth.id.ledger." + part).gauge().value();
    }
    assertTrue(sum > 0);
    assertEquals(server.meters().get("plinth.id.ledger.ids").gauge().value(), sum);
    assertTrue(server.meters().get("plinth.id.allocated").counter().count() >= 7);
    assertTrue(server.meters().get("plinth.id.waits").counter().count() >= 1);
  }

  private void ledgerAddsUp() {
    NamespaceStatus status = calls.get(calls.dense);
    assertEquals(
        status.getNext() - 1,
        status.getLedger().getIssued()
            + status.getLedger().getWasted()
            + status.getLedger().getOutstanding());
  }
}
