package dev.plinth.standalone.history;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireSetItem;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.AcquireSetResponse;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.HistoryResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.Policy;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.lease.v1.SemaphoreRule;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.lease.v1.TransferRequest;
import dev.plinth.lease.v1.TransferResponse;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import dev.plinth.testkit.lease.LogEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The calls of the mixed work as the API has them; all in one namespace. */
record MixedWire(String namespace) {
  /**
   * One sending of a call.
   *
   * @param key of the hold that is released, taken away, renewed or transferred
   * @param cancel takes the request of that id back
   */
  record Sending(LogCall call, String key, String requestId, Duration timeout, boolean cancel) {}

  LogAnswer send(LeaseServiceBlockingStub stub, Sending sending) {
    LogCall call = sending.call();
    return switch (call.kind()) {
      case ACQUIRE -> acquired(stub.acquireSet(acquire(sending)));
      case RELEASE -> released(stub.release(release(sending)));
      case FORCE_RELEASE -> forced(stub.forceRelease(force(sending)));
      case RENEW -> renewed(stub.renew(renew(sending)).getResults(0));
      case TRANSFER -> transferred(stub.transfer(transfer(sending)));
      case SET_POLICY -> {
        stub.setPolicy(policy(sending));
        yield LogAnswer.succeeded();
      }
    };
  }

  private AcquireSetRequest acquire(Sending sending) {
    LogCall call = sending.call();
    AcquireSetRequest.Builder request =
        AcquireSetRequest.newBuilder()
            .setNamespace(namespace)
            .setOwnerId(call.owner())
            .setTtl(duration(call.ttl()))
            .setLockDelay(duration(call.lockDelay()))
            .setWait(duration(sending.timeout()))
            .setRequestId(sending.requestId())
            .setCancel(sending.cancel());
    for (LogCall.Item item : call.items()) {
      request.addItems(
          AcquireSetItem.newBuilder()
              .setKey(item.key())
              .setMode(Mode.valueOf("MODE_" + item.mode()))
              .setWeight(item.weight()));
    }
    return request.build();
  }

  private static LogAnswer acquired(AcquireSetResponse response) {
    return response.getOutcome() == AcquireSetResponse.Outcome.OUTCOME_GRANTED
        ? LogAnswer.succeeded(
            response.getLeasesList().stream().map(Lease::getToken).toArray(Long[]::new))
        : LogAnswer.refused();
  }

  private ReleaseRequest release(Sending sending) {
    return ReleaseRequest.newBuilder()
        .setNamespace(namespace)
        .setKey(sending.key())
        .setToken(sending.call().token())
        .setRequestId(sending.requestId())
        .build();
  }

  private static LogAnswer released(ReleaseResponse response) {
    return response.getOutcome() == ReleaseResponse.Outcome.OUTCOME_RELEASED
        ? LogAnswer.succeeded()
        : LogAnswer.refused();
  }

  private ForceReleaseRequest force(Sending sending) {
    return ForceReleaseRequest.newBuilder()
        .setNamespace(namespace)
        .setKey(sending.key())
        .setToken(sending.call().token())
        .setReason("the mixed work")
        .setRequestId(sending.requestId())
        .build();
  }

  private static LogAnswer forced(ForceReleaseResponse response) {
    return response.getReleasedTotal() > 0 ? LogAnswer.succeeded() : LogAnswer.refused();
  }

  private RenewRequest renew(Sending sending) {
    return RenewRequest.newBuilder()
        .setNamespace(namespace)
        .addItems(RenewItem.newBuilder().setKey(sending.key()).setToken(sending.call().token()))
        .build();
  }

  private static LogAnswer renewed(RenewResult result) {
    return result.getState() == RenewResult.State.STATE_RENEWED
        ? LogAnswer.succeeded()
        : LogAnswer.refused();
  }

  private TransferRequest transfer(Sending sending) {
    return TransferRequest.newBuilder()
        .setNamespace(namespace)
        .setKey(sending.key())
        .setToken(sending.call().token())
        .setToOwnerId(sending.call().owner())
        .setRequestId(sending.requestId())
        .build();
  }

  private static LogAnswer transferred(TransferResponse response) {
    return response.getOutcome() == TransferResponse.Outcome.OUTCOME_TRANSFERRED
        ? LogAnswer.succeeded(response.getLease().getToken())
        : LogAnswer.refused();
  }

  private SetPolicyRequest policy(Sending sending) {
    SemaphoreRule rule =
        SemaphoreRule.newBuilder()
            .setKeyPrefix(MixedCaller.SEMAPHORE)
            .setCapacity(sending.call().capacity())
            .build();
    return SetPolicyRequest.newBuilder()
        .setNamespace(namespace)
        .setPolicy(Policy.newBuilder().addSemaphores(rule))
        .setRequestId(sending.requestId())
        .build();
  }

  private static com.google.protobuf.Duration duration(Duration value) {
    return Durations.fromMillis(value.toMillis());
  }

  /** The tokens of all that is held. */
  List<Long> held(LeaseServiceBlockingStub stub) {
    return stub
        .listLeases(ListLeasesRequest.newBuilder().setNamespace(namespace).setPageSize(100).build())
        .getLeasesList()
        .stream()
        .map(Lease::getToken)
        .toList();
  }

  /** All that ever happened, in order. */
  List<LogEvent> log(LeaseServiceBlockingStub stub) {
    List<LogEvent> log = new ArrayList<>();
    String page = "";
    do {
      HistoryResponse response =
          stub.history(
              HistoryRequest.newBuilder()
                  .setNamespace(namespace)
                  .setPageSize(1000)
                  .setPageToken(page)
                  .build());
      response.getEntriesList().forEach(entry -> log.add(event(entry)));
      page = response.getNextPageToken();
    } while (!page.isEmpty());
    return log;
  }

  private static LogEvent event(HistoryEntry entry) {
    LogEvent.Type type =
        entry.getType() == HistoryEntry.Type.TYPE_GRANTED
            ? LogEvent.Type.GRANTED
            : LogEvent.Type.valueOf(entry.getCause().name().substring("END_CAUSE_".length()));
    return new LogEvent(type, entry.getKey(), entry.getOwnerId(), entry.getToken());
  }
}
