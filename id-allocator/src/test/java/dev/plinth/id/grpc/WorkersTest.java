package dev.plinth.id.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.ParseRequest;
import dev.plinth.id.v1.ParseResponse;
import dev.plinth.id.v1.ReleaseWorkerRequest;
import dev.plinth.id.v1.ReleaseWorkerResponse;
import dev.plinth.id.v1.RenewWorkerRequest;
import dev.plinth.id.v1.RenewWorkerResponse;
import dev.plinth.id.v1.Worker;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Snowflake namespaces: every outcome and refusal. */
@OnEachStore(IdWiring.class)
class WorkersTest {
  @Parameter ShardServer server;
  private IdCalls calls;

  @BeforeEach
  void begin() {
    calls = new IdCalls(server).define();
  }

  @Test
  void workers_areLeased_renewed_released_andExhausted() {
    Worker ann = calls.worker("ann").getWorker();
    assertTrue(ann.getCeilingMs() > ann.getFloorMs());
    assertEquals(Durations.fromSeconds(30), ann.getTtl());
    assertEquals(Durations.fromSeconds(5), ann.getMaxAhead());
    assertEquals(IdCalls.flakes().getLayout().toBuilder().setUnitMs(1).build(), ann.getLayout());
    for (String other : List.of("bob", "cid", "dan")) {
      assertNotEquals(ann.getWorkerId(), calls.worker(other).getWorker().getWorkerId());
    }
    LeaseWorkerResponse none = calls.worker("eve");
    assertEquals(LeaseWorkerResponse.Outcome.OUTCOME_EXHAUSTED, none.getOutcome());
    assertTrue(Durations.isPositive(none.getEarliestFree()));
    Refusal.of(() -> calls.allocate(calls.flakes, 1))
        .isExhausted(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED);
    assertEquals(4, calls.get(calls.flakes).getWorkersInUse());
    assertEquals(ann, renew(ann).getWorker());
    long used = ann.getCeilingMs() - 10_000;
    assertEquals(ReleaseWorkerResponse.Outcome.OUTCOME_RELEASED, release(ann, used));
    assertEquals(ReleaseWorkerResponse.Outcome.OUTCOME_NOT_HELD, release(ann, used));
    assertEquals(RenewWorkerResponse.Outcome.OUTCOME_LOST, renew(ann).getOutcome());
    Worker eve = calls.worker("eve").getWorker();
    assertEquals(ann.getWorkerId(), eve.getWorkerId());
    assertEquals(used, eve.getFloorMs());
    assertEquals(ann.getEpoch() + 1, eve.getEpoch());
    Refusal.of(() -> release(eve, eve.getCeilingMs() + 1))
        .isOfField("last_used_ms", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  private RenewWorkerResponse renew(Worker worker) {
    return calls
        .ids()
        .renewWorker(
            RenewWorkerRequest.newBuilder()
                .setNamespace(worker.getNamespace())
                .setWorkerId(worker.getWorkerId())
                .setEpoch(worker.getEpoch())
                .build());
  }

  private ReleaseWorkerResponse.Outcome release(Worker worker, long lastUsed) {
    return calls
        .ids()
        .releaseWorker(
            ReleaseWorkerRequest.newBuilder()
                .setNamespace(worker.getNamespace())
                .setWorkerId(worker.getWorkerId())
                .setEpoch(worker.getEpoch())
                .setLastUsedMs(lastUsed)
                .build())
        .getOutcome();
  }

  @Test
  void silentWorker_isFreeAgain_andItsTimesAreNot() {
    calls.put(
        calls.flakes,
        IdCalls.flakes().setLayout(layout(41, 0, 22)).setWorkerTtl(Durations.fromMillis(100)));
    Worker ann = calls.worker("ann").getWorker();
    Await.until(
        "ann's time is over",
        () -> calls.worker("bob").getOutcome() == LeaseWorkerResponse.Outcome.OUTCOME_LEASED);
    assertEquals(RenewWorkerResponse.Outcome.OUTCOME_LOST, renew(ann).getOutcome());
  }

  private static Layout layout(int time, int worker, int sequence) {
    return Layout.newBuilder()
        .setTimeBits(time)
        .setWorkerBits(worker)
        .setSequenceBits(sequence)
        .build();
  }

  @Test
  void I4_I8_leases_surviveARestart_andComeAgainByRequestId() {
    LeaseWorkerRequest lease =
        LeaseWorkerRequest.newBuilder()
            .setNamespace(calls.flakes)
            .setOwnerId("ann")
            .setRequestId("w")
            .build();
    AllocateRequest allocate = IdCalls.allocation(calls.flakes, 3).setRequestId("m").build();
    LeaseWorkerResponse ann = calls.ids().leaseWorker(lease);
    AllocateResponse ids = calls.ids().allocate(allocate);
    server.restart();
    assertEquals(ann, calls.ids().leaseWorker(lease));
    assertEquals(ids, calls.ids().allocate(allocate));
    assertEquals(RenewWorkerResponse.Outcome.OUTCOME_RENEWED, renew(ann.getWorker()).getOutcome());
    assertNotEquals(ann.getWorker().getWorkerId(), calls.worker("bob").getWorker().getWorkerId());
  }

  @Test
  void mint_listsIds_thatParseTellsApart() {
    AllocateResponse minted = calls.allocate(calls.flakes, 3);
    assertEquals(3, minted.getIdsCount());
    assertEquals(3, minted.getCount());
    assertEquals(minted.getIdsList().stream().sorted().distinct().toList(), minted.getIdsList());
    ParseResponse parsed = parse(minted.getIds(2));
    assertTrue(parsed.getIssued());
    assertEquals(2, parsed.getSequence());
    assertTrue(Timestamps.toMillis(parsed.getTime()) > 1_735_689_600_000L);
    assertEquals(1, calls.get(calls.flakes).getWorkersInUse());
    assertTrue(calls.get(calls.flakes).hasHorizon());
  }

  private ParseResponse parse(long id) {
    return calls
        .ids()
        .parse(
            ParseRequest.newBuilder().setNamespace(calls.flakes).setId(String.valueOf(id)).build());
  }

  @Test
  void mint_tooFarAhead_isRefusedWithADelay() {
    calls.put(calls.flakes, IdCalls.flakes().setLayout(layout(46, 16, 1)));
    Refusal.of(
            () -> {
              while (true) {
                calls.allocate(calls.flakes, 10_000);
              }
            })
        .isExhausted(ErrorReason.ERROR_REASON_RATE_EXCEEDED);
    Refusal.of(
            () -> {
              calls.put(
                  calls.flakes,
                  IdCalls.flakes()
                      .setLayout(layout(46, 16, 1))
                      .setMaxAhead(Durations.fromMillis(0)));
              return calls.allocate(calls.flakes, 10_000);
            })
        .isOfField("count", ErrorReason.ERROR_REASON_FIELD_INVALID);
  }

  @Test
  void pastTheHorizon_isRefused() {
    calls.put(calls.flakes, IdCalls.flakes().setLayout(layout(25, 16, 22)));
    Refusal.of(() -> calls.worker("ann")).isExhausted(ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED);
    Refusal.of(() -> calls.allocate(calls.flakes, 1))
        .isExhausted(ErrorReason.ERROR_REASON_SEQUENCE_EXHAUSTED);
  }

  @Test
  void idsOf53Bits_areExactInJavaScript() {
    calls.put("js-" + calls.flakes, Definition.newBuilder().setFormat(Format.FORMAT_SNOWFLAKE_53));
    for (long id : calls.allocate("js-" + calls.flakes, 5).getIdsList()) {
      assertTrue(id > 0 && id < 1L << 53);
    }
  }

  @Test
  void callsOfTheOtherFormat_areRefused() {
    Refusal.of(() -> calls.ids().leaseRange(calls.range(1).setNamespace(calls.flakes).build()))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_WRONG_FORMAT);
    Refusal.of(
            () ->
                calls
                    .ids()
                    .leaseWorker(
                        LeaseWorkerRequest.newBuilder()
                            .setNamespace(calls.dense)
                            .setOwnerId("ann")
                            .build()))
        .is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_WRONG_FORMAT);
  }
}
