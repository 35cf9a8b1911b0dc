package dev.plinth.client.id;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.Range;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.UUID;

/** The ranges of one namespace at the server: taken and given back. */
record RangeFetcher(
    String namespace, ClientRuntime clientRuntime, RangeOptions options, ClientIdEvents events) {
  private static final Logger log = System.getLogger("plinth.client");
  private static final int MAX_TRIES = 5;

  long now() {
    return clientRuntime.nanos().getAsLong();
  }

  /** Waits for it. */
  LeasedRange first() throws InterruptedException {
    long askedAt = now();
    LeaseRangeResponse answer =
        clientRuntime.call(
            IdServiceGrpc.getLeaseRangeMethod(),
            request(options.firstRange()),
            clientRuntime.operationTimeout());
    return span(answer.getRange(), askedAt);
  }

  RangeFetch fetch(long want) {
    return new RangeFetch(this, request(want));
  }

  private LeaseRangeRequest request(long want) {
    return LeaseRangeRequest.newBuilder()
        .setNamespace(namespace)
        .setOwnerId(clientRuntime.owner())
        .setWant(want)
        .setRequestId(UUID.randomUUID().toString())
        .build();
  }

  /**
   * @param askedAt before the first attempt: the answer to a later one may be a memory of it
   */
  LeasedRange span(Range range, long askedAt) {
    Duration valid =
        Duration.ofSeconds(range.getValidFor().getSeconds(), range.getValidFor().getNanos());
    return new LeasedRange(range, askedAt + valid.toNanos());
  }

  /** Waits until the server has taken back what is left, if it answers. */
  void returnRange(LeasedRange ended) {
    try {
      ReturnRangeResponse answer =
          clientRuntime.call(
              IdServiceGrpc.getReturnRangeMethod(), giving(ended), clientRuntime.callDeadline());
      returned(answer);
    } catch (CallFailedException e) {
      log.log(Level.INFO, "{0} ids of {1} are lost: {2}", ended.left(), namespace, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Tells the server without waiting, so that it counts against no quota any more. */
  void settle(LeasedRange ended) {
    settle(giving(ended), 0);
  }

  private void settle(ReturnRangeRequest request, int failures) {
    clientRuntime
        .send(IdServiceGrpc.getReturnRangeMethod(), request, clientRuntime.callDeadline())
        .whenComplete(
            (answer, thrown) -> {
              if (thrown == null) {
                returned(answer);
              } else if (failures < MAX_TRIES) {
                clientRuntime
                    .pause((CallFailedException) thrown, failures, options.timeout())
                    .ifPresent(
                        pause -> clientRuntime.after(pause, () -> settle(request, failures + 1)));
              }
            });
  }

  private ReturnRangeRequest giving(LeasedRange ended) {
    return ReturnRangeRequest.newBuilder()
        .setNamespace(namespace)
        .setLeaseId(ended.leaseId())
        .setUsed(ended.used())
        .setRequestId(UUID.randomUUID().toString())
        .build();
  }

  private void returned(ReturnRangeResponse answer) {
    if (answer.getReturned() > 0) {
      events.returned(namespace, answer.getReturned());
    }
  }
}
