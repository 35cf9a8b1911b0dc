package dev.plinth.client.id;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
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
import java.util.UUID;

/**
 * Keeps a worker id: renews it, and leases another when it is lost. All on the client's own thread,
 * one thing after the other.
 */
final class WorkerLeaseRenewer {
  private static final Logger log = System.getLogger("plinth.client");
  private static final Duration NO_END = Duration.ofDays(1);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

  /** A worker id that was asked for first at this time. */
  record FirstLease(Worker worker, long askedAt) {}

  private final String namespace;
  private final ClientRuntime clientRuntime;
  private final SnowflakeIdGenerator ids;
  private volatile CallFailedException failure;
  private volatile boolean closed;
  private int failures;

  WorkerLeaseRenewer(String namespace, ClientRuntime clientRuntime, SnowflakeIdGenerator ids) {
    this.namespace = namespace;
    this.clientRuntime = clientRuntime;
    this.ids = ids;
  }

  /** Waits for a first one. */
  static FirstLease hire(String namespace, ClientRuntime clientRuntime)
      throws InterruptedException {
    long askedAt = clientRuntime.nanos().getAsLong();
    LeaseWorkerResponse answer =
        clientRuntime.call(
            IdServiceGrpc.getLeaseWorkerMethod(),
            request(namespace, clientRuntime),
            clientRuntime.operationTimeout());
    if (!answer.hasWorker()) {
      throw new IdsUnavailableException(
          "namespace " + namespace + ": all worker ids are out", earliestFree(answer));
    }
    return new FirstLease(answer.getWorker(), askedAt);
  }

  private static LeaseWorkerRequest request(String namespace, ClientRuntime clientRuntime) {
    return LeaseWorkerRequest.newBuilder()
        .setNamespace(namespace)
        .setOwnerId(clientRuntime.owner())
        .setRequestId(UUID.randomUUID().toString())
        .build();
  }

  private static Duration earliestFree(LeaseWorkerResponse answer) {
    return Duration.ofSeconds(
        answer.getEarliestFree().getSeconds(), answer.getEarliestFree().getNanos());
  }

  /** The last failure of a call, for those who find that there is no worker id. */
  CallFailedException failure() {
    return failure;
  }

  void keep(WorkerLease held) {
    clientRuntime.after(held.interval(), () -> renew(held));
  }

  private void renew(WorkerLease held) {
    if (closed) {
      return;
    }
    long sentAt = clientRuntime.nanos().getAsLong();
    RenewWorkerRequest request =
        RenewWorkerRequest.newBuilder()
            .setNamespace(namespace)
            .setWorkerId(held.worker())
            .setEpoch(held.epoch())
            .build();
    Duration interval = held.interval();
    Duration deadline =
        interval.compareTo(clientRuntime.callDeadline()) < 0
            ? interval
            : clientRuntime.callDeadline();
    clientRuntime
        .send(IdServiceGrpc.getRenewWorkerMethod(), request, deadline)
        .whenComplete(
            (answer, thrown) -> {
              if (thrown != null) {
                failed((CallFailedException) thrown, interval, () -> renew(held));
              } else {
                renewed(held, answer, sentAt);
              }
            });
  }

  private void renewed(WorkerLease held, RenewWorkerResponse answer, long sentAt) {
    succeeded();
    if (answer.hasWorker()) {
      held.renewed(answer.getWorker(), sentAt);
      keep(held);
    } else {
      log.log(Level.INFO, "worker id {0} of {1} is lost", held.worker(), namespace);
      ids.lost(held);
      lease();
    }
  }

  private void lease() {
    lease(request(namespace, clientRuntime), clientRuntime.nanos().getAsLong());
  }

  /**
   * With one request id until it is answered: the grant may have been made, and its answer lost.
   */
  private void lease(LeaseWorkerRequest request, long askedAt) {
    if (closed) {
      return;
    }
    clientRuntime
        .send(IdServiceGrpc.getLeaseWorkerMethod(), request, clientRuntime.callDeadline())
        .whenComplete(
            (answer, thrown) -> {
              if (thrown != null) {
                failed((CallFailedException) thrown, MAX_PAUSE, () -> lease(request, askedAt));
              } else {
                leased(answer, askedAt);
              }
            });
  }

  private void leased(LeaseWorkerResponse answer, long askedAt) {
    succeeded();
    if (!answer.hasWorker()) {
      Duration free = earliestFree(answer);
      clientRuntime.after(free.compareTo(MAX_PAUSE) < 0 ? free : MAX_PAUSE, this::lease);
    } else if (!ids.advance(answer.getWorker(), askedAt)) {
      release(answer.getWorker().getWorkerId(), answer.getWorker().getEpoch());
    }
  }

  private void succeeded() {
    failures = 0;
    failure = null;
  }

  /** Tries again, whatever it was: nobody else will ask for what this handle needs. */
  private void failed(CallFailedException thrown, Duration longest, Runnable again) {
    failure = thrown;
    Duration pause = clientRuntime.pause(thrown, failures++, NO_END).orElse(longest);
    clientRuntime.after(pause.compareTo(longest) < 0 ? pause : longest, again);
  }

  /** One that was never used: its floor is as good as it was. */
  private void release(int worker, long epoch) {
    clientRuntime.send(
        IdServiceGrpc.getReleaseWorkerMethod(),
        releasing(worker, epoch).build(),
        clientRuntime.callDeadline());
  }

  private ReleaseWorkerRequest.Builder releasing(int worker, long epoch) {
    return ReleaseWorkerRequest.newBuilder()
        .setNamespace(namespace)
        .setWorkerId(worker)
        .setEpoch(epoch)
        .setRequestId(UUID.randomUUID().toString());
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
      clientRuntime.call(
          IdServiceGrpc.getReleaseWorkerMethod(), request, clientRuntime.callDeadline());
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
