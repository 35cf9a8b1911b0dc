package dev.plinth.client.id;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.Range;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** The ranges of one namespace at the server: taken and given back. */
record RangeFetcher(
    String namespace, ClientRuntime runtime, RangeOptions options, ClientIdEvents events) {
  private static final Logger log = System.getLogger("plinth.client");

  long now() {
    return runtime.nanos().getAsLong();
  }

  /** Waits for it. */
  LeasedRange first() throws InterruptedException {
    long askedAt = now();
    LeaseRangeResponse answer =
        runtime.call(
            IdServiceGrpc.getLeaseRangeMethod(),
            request(options.firstRange()),
            runtime.operationTimeout());
    return range(answer.getRange(), askedAt);
  }

  RangeFetch fetch(long want) {
    return new RangeFetch(this, request(want));
  }

  private LeaseRangeRequest request(long want) {
    return LeaseRangeRequest.newBuilder()
        .setNamespace(namespace)
        .setOwnerId(runtime.owner())
        .setWant(want)
        .setRequestId(runtime.newRequestId())
        .build();
  }

  /**
   * @param askedAt before the first attempt: the answer to a later one may be a memory of it
   */
  LeasedRange range(Range range, long askedAt) {
    return new LeasedRange(range, askedAt + ClientWire.duration(range.getValidFor()).toNanos());
  }

  /** Waits until the server has taken back what is left, if it answers. */
  void returnRange(LeasedRange ended) {
    try {
      ReturnRangeResponse answer =
          runtime.call(IdServiceGrpc.getReturnRangeMethod(), giving(ended), runtime.callDeadline());
      returned(answer);
    } catch (CallFailedException e) {
      log.log(Level.INFO, "{0} ids of {1} are lost: {2}", ended.left(), namespace, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Tells the server without waiting, so that it counts against no quota any more. */
  void settle(LeasedRange ended) {
    runtime
        .retried(IdServiceGrpc.getReturnRangeMethod(), giving(ended))
        .timeout(runtime.operationTimeout())
        .send()
        .thenAccept(this::returned);
  }

  private ReturnRangeRequest giving(LeasedRange ended) {
    return ReturnRangeRequest.newBuilder()
        .setNamespace(namespace)
        .setLeaseId(ended.leaseId())
        .setUsed(ended.used())
        .setRequestId(runtime.newRequestId())
        .build();
  }

  private void returned(ReturnRangeResponse answer) {
    if (answer.getReturned() > 0) {
      events.returned(namespace, answer.getReturned());
    }
  }
}
