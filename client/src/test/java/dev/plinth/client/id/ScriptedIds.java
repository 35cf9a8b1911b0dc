package dev.plinth.client.id;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.TestMachine;
import dev.plinth.id.v1.IdServiceGrpc.IdServiceImplBase;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseRangeResponse;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.LeaseWorkerResponse;
import dev.plinth.id.v1.Range;
import dev.plinth.id.v1.ReleaseWorkerRequest;
import dev.plinth.id.v1.ReleaseWorkerResponse;
import dev.plinth.id.v1.RenewWorkerRequest;
import dev.plinth.id.v1.RenewWorkerResponse;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.id.v1.ReturnRangeResponse;
import dev.plinth.id.v1.Worker;
import dev.plinth.testkit.ManualClock;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A server that answers as a test has it, and a client of it in a time that the test moves. Nothing
 * happens in the background: what comes back does so when the clock runs what is due.
 */
final class ScriptedIds extends IdServiceImplBase implements AutoCloseable {
  static final Duration VALID = Duration.ofHours(1);
  static final Duration TTL = Duration.ofSeconds(30);
  static final Duration MAX_AHEAD = Duration.ofSeconds(5);

  final ManualClock clock = new ManualClock();
  final List<LeaseRangeRequest> leases = new ArrayList<>();
  final List<ReturnRangeRequest> returns = new ArrayList<>();
  final List<ReleaseWorkerRequest> releases = new ArrayList<>();
  final Layout.Builder layout =
      Layout.newBuilder()
          .setEpochMs(1_735_689_600_000L)
          .setTimeBits(41)
          .setWorkerBits(10)
          .setSequenceBits(12)
          .setUnitMs(1);
  int size = 100;
  int step = 1;
  Status failure = Status.OK;
  int renewals;
  int hired;
  boolean lost;
  boolean leasesNoWorker;
  long floor;

  /** How far the client's wall clock is ahead of the server's. */
  Duration skew = Duration.ZERO;

  /** What the client was told of its worker id last, and when. */
  Worker told;

  long toldAt;
  private final AtomicLong paused = new AtomicLong();
  private final AtomicReference<Runnable> atNextLook = new AtomicReference<>(() -> {});
  private final Server server;
  private final ManagedChannel channel;
  private final PlinthClient client;
  private long next = 1;
  private long epochs;

  ScriptedIds() {
    floor = layout.getEpochMs() - 1;
    String name = InProcessServerBuilder.generateName();
    try {
      server =
          InProcessServerBuilder.forName(name).directExecutor().addService(this).build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    client =
        PlinthClient.builder(channel)
            .owner("ann")
            .operationTimeout(Duration.ofMillis(200))
            .machine(TestMachine.of(this::nanos, this::look, clock.scheduler()))
            .build();
  }

  IdClient ids() {
    return client.ids();
  }

  PlinthClient client() {
    return client;
  }

  private Instant look() {
    Runnable first = atNextLook.getAndSet(() -> {});
    first.run();
    return clock.instant().plus(skew);
  }

  /** The client's monotonic clock. */
  long nanos() {
    return clock.nanos().getAsLong() + paused.get();
  }

  /**
   * Runs this when the client next looks at its wall clock, which it does before it takes a place.
   */
  void atNextLook(Runnable task) {
    atNextLook.set(task);
  }

  /** As if the process had been suspended: no thread of its own has run since. */
  void suspend(Duration time) {
    paused.addAndGet(time.toNanos());
  }

  @Override
  public void leaseRange(LeaseRangeRequest request, StreamObserver<LeaseRangeResponse> to) {
    leases.add(request);
    Range range =
        Range.newBuilder()
            .setLeaseId("lease-" + leases.size())
            .setNamespace(request.getNamespace())
            .setFirst(next)
            .setCount(size)
            .setStep(step)
            .setValidFor(wire(VALID))
            .setSuggestedNext(2L * size)
            .build();
    if (answer(LeaseRangeResponse.newBuilder().setRange(range).build(), to)) {
      next += (long) size * step;
    }
  }

  @Override
  public void returnRange(ReturnRangeRequest request, StreamObserver<ReturnRangeResponse> to) {
    if (answer(ReturnRangeResponse.getDefaultInstance(), to)) {
      returns.add(request);
    }
  }

  @Override
  public void leaseWorker(LeaseWorkerRequest request, StreamObserver<LeaseWorkerResponse> to) {
    if (leasesNoWorker) {
      to.onError(Status.UNAVAILABLE.asRuntimeException());
      return;
    }
    Worker worker = worker(hired + 1, ++epochs);
    LeaseWorkerResponse response =
        LeaseWorkerResponse.newBuilder()
            .setOutcome(LeaseWorkerResponse.Outcome.OUTCOME_LEASED)
            .setWorker(worker)
            .build();
    if (answer(response, to)) {
      hired++;
      lost = false;
      told(worker);
    }
  }

  private Worker worker(int id, long epoch) {
    long before = told != null && told.getEpoch() == epoch ? told.getCeilingMs() : 0;
    return Worker.newBuilder()
        .setWorkerId(id)
        .setEpoch(epoch)
        .setFloorMs(floor)
        .setCeilingMs(Math.max(before, Math.max(clock.millis(), floor) + 2 * TTL.toMillis()))
        .setTtl(wire(TTL))
        .setLayout(layout)
        .setMaxAhead(wire(MAX_AHEAD))
        .build();
  }

  private void told(Worker worker) {
    told = worker;
    toldAt = nanos();
  }

  private static com.google.protobuf.Duration wire(Duration time) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(time.toSeconds()).build();
  }

  @Override
  public void renewWorker(RenewWorkerRequest request, StreamObserver<RenewWorkerResponse> to) {
    renewals++;
    RenewWorkerResponse.Builder response = RenewWorkerResponse.newBuilder();
    if (lost) {
      response.setOutcome(RenewWorkerResponse.Outcome.OUTCOME_LOST);
    } else {
      response
          .setOutcome(RenewWorkerResponse.Outcome.OUTCOME_RENEWED)
          .setWorker(worker(request.getWorkerId(), request.getEpoch()));
    }
    if (answer(response.build(), to) && response.hasWorker()) {
      told(response.getWorker());
    }
  }

  @Override
  public void releaseWorker(
      ReleaseWorkerRequest request, StreamObserver<ReleaseWorkerResponse> to) {
    releases.add(request);
    answer(ReleaseWorkerResponse.getDefaultInstance(), to);
  }

  private <A> boolean answer(A answer, StreamObserver<A> to) {
    if (!failure.isOk()) {
      to.onError(failure.asRuntimeException());
      return false;
    }
    to.onNext(answer);
    to.onCompleted();
    return true;
  }

  @Override
  public void close() {
    failure = Status.OK;
    client.close();
    channel.shutdownNow();
    server.shutdownNow();
  }
}
