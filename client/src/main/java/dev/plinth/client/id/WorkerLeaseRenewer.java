package dev.plinth.client.id;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.ReleaseWorkerRequest;
import dev.plinth.id.v1.RenewWorkerRequest;
import dev.plinth.id.v1.RenewWorkerResponse;
import dev.plinth.id.v1.Worker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps a worker id: renews it, and leases another when it is lost. All on the event loop, one
 * thing after the other.
 */
final class WorkerLeaseRenewer {
  private static final Logger log = System.getLogger("plinth.client");

  /** A worker id that was asked for first at this time. */
  record FirstLease(Worker worker, long askedAt) {}

  private final String namespace;
  private final ClientRuntime runtime;
  private final SnowflakeIdGenerator ids;
  private volatile CallFailedException failure;
  private volatile boolean closed;

  WorkerLeaseRenewer(String namespace, ClientRuntime runtime, SnowflakeIdGenerator ids) {
    this.namespace = namespace;
    this.runtime = runtime;
    this.ids = ids;
  }

  /** Waits for a first one. */
  static FirstLease hire(String namespace, ClientRuntime runtime) throws InterruptedException {
    long askedAt = runtime.nanos().getAsLong();
    LeaseWorkerResponse answer =
        runtime.call(
            IdServiceGrpc.getLeaseWorkerMethod(),
            request(namespace, runtime),
            runtime.operationTimeout());
    if (!answer.hasWorker()) {
      throw new IdsUnavailableException(
          "namespace " + namespace + ": all worker ids are out", earliestFree(answer));
    }
    return new FirstLease(answer.getWorker(), askedAt);
  }

  private static LeaseWorkerRequest request(String namespace, ClientRuntime runtime) {
    return LeaseWorkerRequest.newBuilder()
        .setNamespace(namespace)
        .setOwnerId(runtime.owner())
        .setRequestId(runtime.newRequestId())
        .build();
  }

  private static Duration earliestFree(LeaseWorkerResponse answer) {
    return ClientWire.duration(answer.getEarliestFree());
  }

  /** The last failure of a call, for those who find that there is no worker id. */
  CallFailedException failure() {
    return failure;
  }

  void keep(WorkerLease held) {
    runtime.after(held.interval(), () -> renew(held));
  }

  private void renew(WorkerLease held) {
    RenewWorkerRequest request =
        RenewWorkerRequest.newBuilder()
            .setNamespace(namespace)
            .setWorkerId(held.worker())
            .setEpoch(held.epoch())
            .build();
    // The answer is to the last attempt, since one that failed is not answered any more.
    AtomicLong sentAt = new AtomicLong();
    runtime
        .retried(IdServiceGrpc.getRenewWorkerMethod(), request)
        .attemptTimeout(ClientWire.shorter(held.interval(), runtime.callDeadline()))
        .everyStatusWithin(held.interval())
        .whileWanted(() -> !closed)
        .onAttempt(() -> sentAt.set(runtime.nanos().getAsLong()))
        .onFailure(thrown -> failure = thrown)
        .send()
        .thenAccept(answer -> renewed(held, answer, sentAt.get()));
  }

  private void renewed(WorkerLease held, RenewWorkerResponse answer, long sentAt) {
    failure = null;
    if (answer.hasWorker()) {
      held.renewed(answer.getWorker(), sentAt);
      keep(held);
    } else {
      log.log(Level.INFO, "worker id {0} of {1} is lost", held.worker(), namespace);
      ids.lost(held);
      lease();
    }
  }

  /** Retried whatever the status is: nobody else will ask for what this generator needs. */
  private void lease() {
    long askedAt = runtime.nanos().getAsLong();
    runtime
        .retried(IdServiceGrpc.getLeaseWorkerMethod(), request(namespace, runtime))
        .everyStatusWithin(RetrySchedule.MAX_BACKOFF)
        .whileWanted(() -> !closed)
        .onFailure(thrown -> failure = thrown)
        .send()
        .thenAccept(answer -> leased(answer, askedAt));
  }

  private void leased(LeaseWorkerResponse answer, long askedAt) {
    failure = null;
    if (!answer.hasWorker()) {
      runtime.after(
          ClientWire.shorter(earliestFree(answer), RetrySchedule.MAX_BACKOFF), this::lease);
    } else if (!ids.advance(answer.getWorker(), askedAt)) {
      release(answer.getWorker().getWorkerId(), answer.getWorker().getEpoch());
    }
  }

  /** One that was never used: its floor is as good as it was. */
  private void release(int worker, long epoch) {
    runtime.send(
        IdServiceGrpc.getReleaseWorkerMethod(),
        releasing(worker, epoch).build(),
        runtime.callDeadline());
  }

  private ReleaseWorkerRequest.Builder releasing(int worker, long epoch) {
    return ReleaseWorkerRequest.newBuilder()
        .setNamespace(namespace)
        .setWorkerId(worker)
        .setEpoch(epoch)
        .setRequestId(runtime.newRequestId());
  }

  /**
   * Waits until the server has it back, if it answers.
   *
   * @param held null if there is none
   * @param last the highest place that was taken by anybody
   */
  void close(WorkerLease held, long last) {
    closed = true;
    if (held == null) {
      return;
    }
    ReleaseWorkerRequest request =
        releasing(held.worker(), held.epoch()).setLastUsedMs(lastUsed(held, last)).build();
    try {
      runtime.call(IdServiceGrpc.getReleaseWorkerMethod(), request, runtime.callDeadline());
    } catch (CallFailedException e) {
      log.log(Level.INFO, "worker id {0} ends by its ttl: {1}", held.worker(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * At least 1, since 0 says that it is not known; the server takes the floor where that is higher.
   */
  private static long lastUsed(WorkerLease held, long last) {
    SnowflakeLayout layout = held.layout();
    long time = last < held.firstPosition() ? held.floorMs() : layout.time(layout.unitOf(last));
    return Math.max(1, Math.min(time, held.terms().ceilingMs()));
  }
}
