package dev.plinth.client.limit;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.PlinthClientBuilder;
import dev.plinth.client.TestMachine;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.AcquireSlotResponse;
import dev.plinth.ratelimit.v1.BudgetLease;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckResponse;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.LeaseBudgetRequest;
import dev.plinth.ratelimit.v1.LeaseBudgetResponse;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc.RateLimitServiceImplBase;
import dev.plinth.ratelimit.v1.ReleaseSlotRequest;
import dev.plinth.ratelimit.v1.ReleaseSlotResponse;
import dev.plinth.ratelimit.v1.RenewSlotRequest;
import dev.plinth.ratelimit.v1.RenewSlotResponse;
import dev.plinth.ratelimit.v1.ReserveRequest;
import dev.plinth.ratelimit.v1.ReserveResponse;
import dev.plinth.ratelimit.v1.ReturnBudgetRequest;
import dev.plinth.ratelimit.v1.ReturnBudgetResponse;
import dev.plinth.ratelimit.v1.SettleRequest;
import dev.plinth.ratelimit.v1.SettleResponse;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.ManualClock;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A service that says what a test tells it to, at the other end of a real client whose time stands
 * still; answers come when the test lets the client's thread run. A null answer is none at all.
 */
final class ScriptedLimits implements AutoCloseable {
  static final Duration LEASE = Duration.ofMillis(500);

  final ManualClock clock = new ManualClock();
  final List<CheckRequest> checks = new CopyOnWriteArrayList<>();
  final List<LeaseBudgetRequest> leases = new CopyOnWriteArrayList<>();
  final List<ReturnBudgetRequest> returns = new CopyOnWriteArrayList<>();
  final List<ReserveRequest> reserves = new CopyOnWriteArrayList<>();
  final List<SettleRequest> settles = new CopyOnWriteArrayList<>();
  final List<AcquireSlotRequest> slots = new CopyOnWriteArrayList<>();
  final List<RenewSlotRequest> renewals = new CopyOnWriteArrayList<>();
  final List<ReleaseSlotRequest> releases = new CopyOnWriteArrayList<>();

  volatile Function<CheckRequest, Decision> check = request -> allowed(request.getCost());
  volatile Function<LeaseBudgetRequest, LeaseBudgetResponse> lease =
      request -> leased(request.getWant());
  volatile Function<ReserveRequest, ReserveResponse> reserve =
      request -> reserved(Duration.ZERO, request.getCost());
  volatile Function<AcquireSlotRequest, AcquireSlotResponse> slot = request -> null;
  volatile Function<RenewSlotRequest, RenewSlotResponse> renew = request -> null;

  /** Answers leave when it is open. */
  volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

  private final AtomicLong ahead = new AtomicLong();
  private final Server server;
  private final ManagedChannel channel;

  ScriptedLimits() {
    String name = InProcessServerBuilder.generateName();
    try {
      server =
          InProcessServerBuilder.forName(name)
              .directExecutor()
              .addService(new Script())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  PlinthClientBuilder client() {
    return PlinthClient.builder(channel);
  }

  /** By this clock. */
  PlinthClientBuilder manualClient() {
    return client()
        .owner("ann")
        .machine(
            TestMachine.of(
                () -> clock.nanos().getAsLong() + ahead.get(),
                InstantSource.system(),
                clock.scheduler()));
  }

  /** Moves the clock, but no timer: they are as late as if their thread were busy. */
  void moveWithoutTimers(Duration by) {
    ahead.addAndGet(by.toNanos());
  }

  /** Options under which nothing fails because a machine is slow. */
  static LimitOptions patient() {
    return LimitOptions.defaults().deadline(Duration.ofSeconds(30));
  }

  /** Lets the client's thread run until the answer is there. */
  <T> T answer(CompletableFuture<T> future) {
    run("an answer", future::isDone);
    return future.join();
  }

  void run(String what, Callable<Boolean> condition) {
    Await.until(
        what,
        () -> {
          clock.runDue();
          return condition.call();
        });
  }

  /** Closes on another thread, while the client's runs. */
  void close(AutoCloseable part) {
    CompletableFuture<Void> closing =
        CompletableFuture.runAsync(
            () -> {
              try {
                part.close();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    answer(closing);
  }

  static Decision allowed(long cost) {
    return Decision.newBuilder()
        .setVerdict(Verdict.VERDICT_ALLOW)
        .setGranted(cost)
        .setPolicyVersion(1)
        .setDecidedBy(DecidedBy.DECIDED_BY_STORE)
        .build();
  }

  static Decision denied(Duration retryAfter) {
    return Decision.newBuilder()
        .setVerdict(Verdict.VERDICT_DENY)
        .setRetryAfter(ClientWire.duration(retryAfter))
        .setPolicyVersion(1)
        .setDecidedBy(DecidedBy.DECIDED_BY_STORE)
        .build();
  }

  /** Named by their number. */
  LeaseBudgetResponse leased(long granted) {
    return LeaseBudgetResponse.newBuilder()
        .setOutcome(LeaseBudgetResponse.Outcome.OUTCOME_LEASED)
        .setLease(
            BudgetLease.newBuilder()
                .setLeaseId("lease-" + leases.size())
                .setGranted(granted)
                .setValidFor(ClientWire.duration(LEASE)))
        .setPolicyVersion(1)
        .build();
  }

  static LeaseBudgetResponse notLeased(LeaseBudgetResponse.Outcome outcome, Duration retryAfter) {
    return LeaseBudgetResponse.newBuilder()
        .setOutcome(outcome)
        .setRetryAfter(ClientWire.duration(retryAfter))
        .setPolicyVersion(1)
        .build();
  }

  static ReserveResponse reserved(Duration wait, long cost) {
    return ReserveResponse.newBuilder()
        .setReservationId("place")
        .setWait(ClientWire.duration(wait))
        .setDecision(allowed(cost))
        .build();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private <A> void say(Supplier<A> script, StreamObserver<A> to) {
    gate.thenRun(() -> sayNow(script, to));
  }

  private static <A> void sayNow(Supplier<A> script, StreamObserver<A> to) {
    try {
      A answer = script.get();
      if (answer != null) {
        to.onNext(answer);
        to.onCompleted();
      }
    } catch (StatusRuntimeException e) {
      to.onError(e);
    }
  }

  private static CheckResponse response(Decision decision) {
    return decision == null ? null : CheckResponse.newBuilder().setDecision(decision).build();
  }

  private final class Script extends RateLimitServiceImplBase {
    @Override
    public void check(CheckRequest request, StreamObserver<CheckResponse> to) {
      checks.add(request);
      say(() -> response(check.apply(request)), to);
    }

    @Override
    public void leaseBudget(LeaseBudgetRequest request, StreamObserver<LeaseBudgetResponse> to) {
      leases.add(request);
      say(() -> lease.apply(request), to);
    }

    @Override
    public void returnBudget(ReturnBudgetRequest request, StreamObserver<ReturnBudgetResponse> to) {
      returns.add(request);
      say(() -> ReturnBudgetResponse.newBuilder().setRefunded(request.getUnused()).build(), to);
    }

    @Override
    public void reserve(ReserveRequest request, StreamObserver<ReserveResponse> to) {
      reserves.add(request);
      say(() -> reserve.apply(request), to);
    }

    @Override
    public void settle(SettleRequest request, StreamObserver<SettleResponse> to) {
      settles.add(request);
      say(
          () ->
              SettleResponse.newBuilder()
                  .setOutcome(SettleResponse.Outcome.OUTCOME_SETTLED)
                  .setRefunded(1)
                  .build(),
          to);
    }

    @Override
    public void acquireSlot(AcquireSlotRequest request, StreamObserver<AcquireSlotResponse> to) {
      slots.add(request);
      say(() -> slot.apply(request), to);
    }

    @Override
    public void renewSlot(RenewSlotRequest request, StreamObserver<RenewSlotResponse> to) {
      renewals.add(request);
      say(() -> renew.apply(request), to);
    }

    @Override
    public void releaseSlot(ReleaseSlotRequest request, StreamObserver<ReleaseSlotResponse> to) {
      releases.add(request);
      say(ReleaseSlotResponse::getDefaultInstance, to);
    }
  }
}
