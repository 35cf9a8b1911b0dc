package dev.plinth.id.grpc;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import dev.plinth.id.core.AllocatedIds;
import dev.plinth.id.core.IdNamespaceStatus;
import dev.plinth.id.core.LeaseWorkerResult;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.id.core.ParsedId;
import dev.plinth.id.core.RangeView;
import dev.plinth.id.core.ReturnRangeResult;
import dev.plinth.id.core.SequenceLedger;
import dev.plinth.id.core.WorkerView;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.id.v1.ParseResponse;
import dev.plinth.id.v1.Range;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.id.v1.Worker;
import java.time.Duration;

/** What requests have in common, checked, and the core's terms on the wire. */
final class IdWire {
  static final int MAX_OWNER = 128;
  static final int MAX_LEASE_ID = 64;

  private IdWire() {}

  static com.google.protobuf.Duration duration(Duration duration) {
    return Durations.fromMillis(duration.toMillis());
  }

  static AllocateResponse response(AllocatedIds allocatedIds) {
    return AllocateResponse.newBuilder()
        .addAllIds(allocatedIds.listed())
        .setFirst(allocatedIds.first())
        .setCount(allocatedIds.count())
        .setStep(allocatedIds.step())
        .build();
  }

  static Range range(String namespace, RangeView range) {
    return Range.newBuilder()
        .setLeaseId(range.leaseId())
        .setNamespace(namespace)
        .setFirst(range.first())
        .setCount(range.count())
        .setStep(range.step())
        .setEpoch(range.epoch())
        .setValidFor(duration(range.validFor()))
        .setSuggestedNext(range.suggestedNext())
        .build();
  }

  static ReturnRangeResponse response(ReturnRangeResult returnRangeResult) {
    ReturnRangeResponse.Outcome outcome =
        switch (returnRangeResult.outcome()) {
          case RECLAIMED -> ReturnRangeResponse.Outcome.OUTCOME_RECLAIMED;
          case WASTED -> ReturnRangeResponse.Outcome.OUTCOME_WASTED;
          case NOT_OUT -> ReturnRangeResponse.Outcome.OUTCOME_NOT_OUT;
        };
    return ReturnRangeResponse.newBuilder()
        .setOutcome(outcome)
        .setReturned(returnRangeResult.count())
        .build();
  }

  static LeaseWorkerResponse response(String namespace, LeaseWorkerResult leased) {
    LeaseWorkerResponse.Builder response = LeaseWorkerResponse.newBuilder();
    if (leased instanceof LeaseWorkerResult.Leased granted) {
      response
          .setOutcome(LeaseWorkerResponse.Outcome.OUTCOME_LEASED)
          .setWorker(worker(namespace, granted.worker()));
    } else if (leased instanceof LeaseWorkerResult.Exhausted none) {
      response
          .setOutcome(LeaseWorkerResponse.Outcome.OUTCOME_EXHAUSTED)
          .setEarliestFree(duration(none.earliestFree()));
    }
    return response.build();
  }

  static Worker worker(String namespace, WorkerView worker) {
    return Worker.newBuilder()
        .setNamespace(namespace)
        .setWorkerId(worker.worker())
        .setEpoch(worker.epoch())
        .setFloorMs(worker.floorMs())
        .setCeilingMs(worker.ceilingMs())
        .setTtl(duration(worker.ttl()))
        .setLayout(DefinitionWire.layout(worker.snowflakeBitLayout()))
        .setMaxAhead(duration(worker.maxAhead()))
        .build();
  }

  static ParseResponse response(ParsedId parsedId) {
    ParseResponse.Builder response =
        ParseResponse.newBuilder().setId(parsedId.id()).setIssued(parsedId.issued());
    if (parsedId instanceof ParsedId.DenseParts denseParts) {
      response.setPosition(denseParts.position());
    } else if (parsedId instanceof ParsedId.SnowflakeParts snowflakeParts) {
      response
          .setTime(timestamp(snowflakeParts.timeMs()))
          .setWorkerId(snowflakeParts.worker())
          .setSequence(snowflakeParts.sequence());
    }
    return response.build();
  }

  /** A time past what a timestamp holds is shown as its last. */
  private static Timestamp timestamp(long ms) {
    return Timestamps.fromMillis(Math.min(ms, Timestamps.toMillis(Timestamps.MAX_VALUE)));
  }

  static NamespaceStatus status(IdNamespaceStatus idNamespaceStatus) {
    NamespaceStatus.Builder wire =
        NamespaceStatus.newBuilder()
            .setNamespace(idNamespaceStatus.name())
            .setDefinition(DefinitionWire.definition(idNamespaceStatus.namespaceDefinition()))
            .setVersion(idNamespaceStatus.version())
            .setRate(idNamespaceStatus.rate());
    if (idNamespaceStatus.progress() instanceof IdNamespaceStatus.DenseProgress denseProgress) {
      wire.setLedger(ledger(denseProgress.sequenceLedger()))
          .setNext(denseProgress.next())
          .setIdsLeft(denseProgress.idsLeft())
          .setEpoch(denseProgress.epoch());
      denseProgress.runway().ifPresent(runway -> wire.setRunway(duration(runway)));
    } else if (idNamespaceStatus.progress()
        instanceof IdNamespaceStatus.SnowflakeProgress snowflakeProgress) {
      Snowflake snowflake = (Snowflake) idNamespaceStatus.namespaceDefinition();
      wire.setHorizon(timestamp(snowflake.snowflakeBitLayout().horizonMs()))
          .setWorkersInUse(snowflakeProgress.inUse())
          .setWorkers(snowflakeProgress.workers());
    }
    return wire.build();
  }

  private static dev.plinth.id.v1.Ledger ledger(SequenceLedger sequenceLedger) {
    return dev.plinth.id.v1.Ledger.newBuilder()
        .setIssued(sequenceLedger.issued())
        .setWasted(sequenceLedger.wasted())
        .setOutstanding(sequenceLedger.outstanding())
        .build();
  }
}
