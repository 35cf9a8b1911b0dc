package dev.plinth.simulation.workload.ids;

import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.ReleaseWorkerRequest;
import dev.plinth.id.v1.RenewWorkerRequest;
import dev.plinth.id.v1.Worker;
import dev.plinth.simulation.workload.WireClient;
import java.util.Optional;
import java.util.SplittableRandom;

/** A caller that leases worker ids and notes their windows; it makes no ids. */
final class WorkerWireClient {
  private final WireClient client;
  private final IdWireClient sender;
  private final WindowChecker windows;
  private final SplittableRandom random;
  private Optional<Worker> held = Optional.empty();

  WorkerWireClient(WireClient client, IdWireClient sender, WindowChecker windows) {
    this.client = client;
    this.sender = sender;
    this.windows = windows;
    this.random = client.random();
  }

  void turn() {
    if (held.isEmpty()) {
      lease();
    } else if (random.nextInt(4) > 0) {
      renew(held.get());
    } else {
      release(held.get());
    }
  }

  private void granted(Worker worker) {
    held = Optional.of(worker);
    windows.granted(
        worker.getWorkerId(), worker.getEpoch(), worker.getFloorMs(), worker.getCeilingMs());
  }

  private void lease() {
    LeaseWorkerRequest request =
        LeaseWorkerRequest.newBuilder()
            .setNamespace(IdNames.SNOWFLAKES)
            .setOwnerId(client.name())
            .setRequestId(client.newRequestId())
            .build();
    sender.send(
        IdServiceGrpc.getLeaseWorkerMethod(),
        request,
        sender.patience(),
        false,
        answer -> {
          if (answer.hasWorker()) {
            granted(answer.getWorker());
          }
          sender.next();
        },
        none -> {});
  }

  private void renew(Worker worker) {
    RenewWorkerRequest request =
        RenewWorkerRequest.newBuilder()
            .setNamespace(IdNames.SNOWFLAKES)
            .setWorkerId(worker.getWorkerId())
            .setEpoch(worker.getEpoch())
            .build();
    sender.send(
        IdServiceGrpc.getRenewWorkerMethod(),
        request,
        sender.patience(),
        false,
        answer -> {
          if (answer.hasWorker()) {
            granted(answer.getWorker());
          } else {
            held = Optional.empty();
          }
          sender.next();
        },
        none -> {});
  }

  /** It says that it used little of its window; or nothing, and is taken to have used it all. */
  private void release(Worker worker) {
    boolean tells = random.nextBoolean();
    long reach = worker.getCeilingMs() - worker.getFloorMs();
    long lastUsed = worker.getFloorMs() + random.nextLong(reach + 1);
    ReleaseWorkerRequest request =
        ReleaseWorkerRequest.newBuilder()
            .setNamespace(IdNames.SNOWFLAKES)
            .setWorkerId(worker.getWorkerId())
            .setEpoch(worker.getEpoch())
            .setLastUsedMs(tells ? lastUsed : 0)
            .setRequestId(client.newRequestId())
            .build();
    held = Optional.empty();
    if (tells) {
      windows.released(worker.getWorkerId(), worker.getEpoch(), lastUsed);
    }
    sender.send(
        IdServiceGrpc.getReleaseWorkerMethod(),
        request,
        sender.patience(),
        false,
        answer -> sender.next(),
        none -> {});
  }
}
