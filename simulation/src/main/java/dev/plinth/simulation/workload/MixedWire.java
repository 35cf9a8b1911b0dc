package dev.plinth.simulation.workload;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.Policy;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResponse;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.TransferResponse;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogEvent;
import java.time.Duration;

/** The calls of the mixed work as the API has them; all in one namespace. */
final class MixedWire {
  static final String NAMESPACE = "mixed";
  static final String SEMAPHORE = "permits";

  private MixedWire() {}

  static AcquireSetRequest acquireSet(LogCall call, String id, Duration wait, String session) {
    AcquireSetRequest.Builder request =
        AcquireSetRequest.newBuilder()
            .setNamespace(NAMESPACE)
            .setOwnerId(call.owner())
            .setWait(duration(wait))
            .setRequestId(id)
            .setSessionId(session);
    if (session.isEmpty()) {
      request.setTtl(duration(call.ttl())).setLockDelay(duration(call.lockDelay()));
    }
    for (LogCall.Item item : call.items()) {
      request.addItems(
          AcquireSetItem.newBuilder()
              .setKey(item.key())
              .setMode(Mode.valueOf("MODE_" + item.mode()))
              .setWeight(item.weight()));
    }
    return request.build();
  }

  static LogAnswer acquired(AcquireSetResponse response) {
    return response.getOutcome() == AcquireSetResponse.Outcome.OUTCOME_GRANTED
        ? LogAnswer.succeeded(
            response.getLeasesList().stream().map(Lease::getToken).toArray(Long[]::new))
        : LogAnswer.refused();
  }

  static AcquireRequest acquire(LogCall call, String id, Duration wait, String session) {
    LogCall.Item item = call.items().get(0);
    AcquireRequest.Builder request =
        AcquireRequest.newBuilder()
            .setNamespace(NAMESPACE)
            .setKey(item.key())
            .setMode(Mode.valueOf("MODE_" + item.mode()))
            .setWeight(item.weight())
            .setOwnerId(call.owner())
            .setWait(duration(wait))
            .setRequestId(id)
            .setSessionId(session);
    if (session.isEmpty()) {
      request.setTtl(duration(call.ttl())).setLockDelay(duration(call.lockDelay()));
    }
    return request.build();
  }

  static LogAnswer acquired(AcquireResponse response) {
    return response.getOutcome() == AcquireResponse.Outcome.OUTCOME_GRANTED
        ? LogAnswer.succeeded(response.getLease().getToken())
        : LogAnswer.refused();
  }

  static ReleaseRequest release(LogCall call, String key, String id) {
    return ReleaseRequest.newBuilder()
        .setNamespace(NAMESPACE)
        .setKey(key)
        .setToken(call.token())
        .setRequestId(id)
        .build();
  }

  static LogAnswer released(ReleaseResponse response) {
    return response.getOutcome() == ReleaseResponse.Outcome.OUTCOME_RELEASED
        ? LogAnswer.succeeded()
        : LogAnswer.refused();
  }

  static ForceReleaseRequest force(LogCall call, String key, String id) {
    return ForceReleaseRequest.newBuilder()
        .setNamespace(NAMESPACE)
        .setKey(key)
        .setToken(call.token())
        .setReason("the mixed work")
        .setRequestId(id)
        .build();
  }

  static LogAnswer forced(ForceReleaseResponse response) {
    return response.getReleasedTotal() > 0 ? LogAnswer.succeeded() : LogAnswer.refused();
  }

  static RenewRequest renew(LogCall call, String key) {
    return RenewRequest.newBuilder()
        .setNamespace(NAMESPACE)
        .addItems(RenewItem.newBuilder().setKey(key).setToken(call.token()))
        .build();
  }

  static LogAnswer renewed(RenewResponse response) {
    return response.getResults(0).getState() == RenewResult.State.STATE_RENEWED
        ? LogAnswer.succeeded()
        : LogAnswer.refused();
  }

  static TransferRequest transfer(LogCall call, String key, String id) {
    return TransferRequest.newBuilder()
        .setNamespace(NAMESPACE)
        .setKey(key)
        .setToken(call.token())
        .setToOwnerId(call.owner())
        .setRequestId(id)
        .build();
  }

  static LogAnswer transferred(TransferResponse response) {
    return response.getOutcome() == TransferResponse.Outcome.OUTCOME_TRANSFERRED
        ? LogAnswer.succeeded(response.getLease().getToken())
        : LogAnswer.refused();
  }

  static SetPolicyRequest policy(LogCall call, String id) {
    SemaphoreRule rule =
        SemaphoreRule.newBuilder().setKeyPrefix(SEMAPHORE).setCapacity(call.capacity()).build();
    return SetPolicyRequest.newBuilder()
        .setNamespace(NAMESPACE)
        .setPolicy(Policy.newBuilder().addSemaphores(rule))
        .setRequestId(id)
        .build();
  }

  static com.google.protobuf.Duration duration(Duration value) {
    return Durations.fromMillis(value.toMillis());
  }

  static LogEvent event(HistoryEntry entry) {
    LogEvent.Type type =
        entry.getType() == HistoryEntry.Type.TYPE_GRANTED
            ? LogEvent.Type.GRANTED
            : LogEvent.Type.valueOf(entry.getCause().name().substring("END_CAUSE_".length()));
    return new LogEvent(type, entry.getKey(), entry.getOwnerId(), entry.getToken());
  }
}
