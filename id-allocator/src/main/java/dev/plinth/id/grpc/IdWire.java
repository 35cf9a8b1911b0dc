package dev.plinth.id.grpc;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import dev.plinth.id.core.Definition.Snowflake;
import dev.plinth.id.core.Ids;
import dev.plinth.id.core.LeasedWorker;
import dev.plinth.id.core.Ledger;
import dev.plinth.id.core.Parsed;
import dev.plinth.id.core.RangeView;
import dev.plinth.id.core.Returned;
import dev.plinth.id.core.Status;
import dev.plinth.id.core.WorkerView;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.id.v1.ParseResponse;
import dev.plinth.id.v1.Range;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.id.v1.Worker;
import dev.plinth.server.failure.Failure;
import java.time.Duration;

/** What requests have in common, checked, and the core's terms on the wire. */
final class IdWire {
  static final int MOST_OWNER = 128;
  static final int MOST_LEASE_ID = 64;

  private IdWire() {}

  static long between(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw Failure.Invalid.field(field, value, least + ".." + most);
    }
    return value;
  }

  static com.google.protobuf.Duration duration(Duration duration) {
    return Durations.fromMillis(duration.toMillis());
  }

  static AllocateResponse response(Ids ids) {
    return AllocateResponse.newBuilder()
        .addAllIds(ids.listed())
        .setFirst(ids.first())
        .setCount(ids.count())
        .setStep(ids.step())
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

  static ReturnRangeResponse response(Returned returned) {
    ReturnRangeResponse.Outcome outcome =
        switch (returned.outcome()) {
          case RECLAIMED -> ReturnRangeResponse.Outcome.OUTCOME_RECLAIMED;
          case WASTED -> ReturnRangeResponse.Outcome.OUTCOME_WASTED;
          case NOT_OUT -> ReturnRangeResponse.Outcome.OUTCOME_NOT_OUT;
        };
    return ReturnRangeResponse.newBuilder()
        .setOutcome(outcome)
        .setReturned(returned.count())
        .build();
  }

  static LeaseWorkerResponse response(String namespace, LeasedWorker leased) {
    LeaseWorkerResponse.Builder response = LeaseWorkerResponse.newBuilder();
    if (leased instanceof LeasedWorker.Leased granted) {
      response
          .setOutcome(LeaseWorkerResponse.Outcome.OUTCOME_LEASED)
          .setWorker(worker(namespace, granted.worker()));
    } else if (leased instanceof LeasedWorker.Exhausted none) {
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
        .setLayout(DefinitionWire.layout(worker.layout()))
        .setMaxAhead(duration(worker.maxAhead()))
        .build();
  }

  static ParseResponse response(Parsed parsed) {
    ParseResponse.Builder response =
        ParseResponse.newBuilder().setId(parsed.id()).setIssued(parsed.issued());
    if (parsed instanceof Parsed.Counted counted) {
      response.setPosition(counted.position());
    } else if (parsed instanceof Parsed.Worked worked) {
      response
          .setTime(timestamp(worked.timeMs()))
          .setWorkerId(worked.worker())
          .setSequence(worked.sequence());
    }
    return response.build();
  }

  /** A time past what a timestamp holds is shown as its last. */
  private static Timestamp timestamp(long ms) {
    return Timestamps.fromMillis(Math.min(ms, Timestamps.toMillis(Timestamps.MAX_VALUE)));
  }

  static NamespaceStatus status(Status status) {
    NamespaceStatus.Builder wire =
        NamespaceStatus.newBuilder()
            .setNamespace(status.name())
            .setDefinition(DefinitionWire.definition(status.definition()))
            .setVersion(status.version())
            .setRate(status.rate());
    if (status.progress() instanceof Status.Counted counted) {
      wire.setLedger(ledger(counted.ledger()))
          .setNext(counted.next())
          .setIdsLeft(counted.idsLeft())
          .setEpoch(counted.epoch());
      counted.runway().ifPresent(runway -> wire.setRunway(duration(runway)));
    } else if (status.progress() instanceof Status.Worked worked) {
      Snowflake snowflake = (Snowflake) status.definition();
      wire.setHorizon(timestamp(snowflake.layout().horizonMs()))
          .setWorkersInUse(worked.inUse())
          .setWorkers(worked.workers());
    }
    return wire.build();
  }

  private static dev.plinth.id.v1.Ledger ledger(Ledger ledger) {
    return dev.plinth.id.v1.Ledger.newBuilder()
        .setIssued(ledger.issued())
        .setWasted(ledger.wasted())
        .setOutstanding(ledger.outstanding())
        .build();
  }
}
