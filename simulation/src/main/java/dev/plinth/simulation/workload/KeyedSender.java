package dev.plinth.simulation.workload;

import com.google.protobuf.Message;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LeaseAnswer;
import dev.plinth.testkit.lease.LeaseAnswer.Outcome;
import dev.plinth.testkit.lease.LeaseCall;
import dev.plinth.testkit.lease.LeaseCall.Kind;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** Sends calls on single keys and records them: each is one operation, however often it is sent. */
final class KeyedSender {
  private static final Set<Outcome> EFFECTS =
      EnumSet.of(
          Outcome.GRANTED,
          Outcome.REENTERED,
          Outcome.RELEASED,
          Outcome.STILL_HELD,
          Outcome.TRANSFERRED);

  private final WireClient client;
  private final int number;
  private final KeyedWire wire;
  private final KeyedHistory history;

  KeyedSender(WireClient client, int number, KeyedWire wire, KeyedHistory history) {
    this.client = client;
    this.number = number;
    this.wire = wire;
    this.history = history;
  }

  /** How one call is sent: what it waits, how it is retried, and whether it comes again late. */
  record Manner(Duration timeout, Patience patience, Optional<Duration> again) {}

  /**
   * @param then hears of the answer; of none if there is none
   */
  void send(LeaseCall call, Manner manner, Consumer<Optional<LeaseAnswer>> then) {
    if (!client.beginStep()) {
      then.accept(Optional.empty());
      return;
    }
    String id = client.newRequestId();
    switch (call.kind()) {
      case ACQUIRE ->
          acquire(wire.acquire(call, id, manner.timeout()), new Sending(call, manner, then));
      case RENEW ->
          send(
              LeaseServiceGrpc.getRenewMethod(),
              wire.renew(call),
              KeyedWire::renewed,
              new Sending(call, manner, then));
      case RELEASE ->
          send(
              LeaseServiceGrpc.getReleaseMethod(),
              wire.release(call, id),
              KeyedWire::released,
              new Sending(call, manner, then));
      case TRANSFER ->
          send(
              LeaseServiceGrpc.getTransferMethod(),
              wire.transfer(call, id),
              KeyedWire::transferred,
              new Sending(call, manner, then));
      case FORCE_RELEASE ->
          send(
              LeaseServiceGrpc.getForceReleaseMethod(),
              wire.force(call, id),
              response ->
                  LeaseAnswer.of(Outcome.FORCED, KeyedWire.holds(response.getReleasedList())),
              new Sending(call, manner, then));
      case VALIDATE ->
          send(
              LeaseServiceGrpc.getValidateMethod(),
              wire.validate(call),
              KeyedWire::validated,
              new Sending(call, manner, then));
      case READ ->
          send(
              LeaseServiceGrpc.getGetLeaseMethod(),
              wire.read(call),
              KeyedWire::shown,
              new Sending(call, manner, then));
      default -> throw new AssertionError(call);
    }
  }

  private record Sending(LeaseCall call, Manner manner, Consumer<Optional<LeaseAnswer>> then) {}

  private void acquire(AcquireRequest request, Sending sending) {
    KeyedEnding<AcquireRequest, AcquireResponse> call =
        call(LeaseServiceGrpc.getAcquireMethod(), request, KeyedWire::acquired, sending);
    if (sending.manner().patience().isEndless()) {
      call.cancelledBy(
          request.toBuilder().setCancel(true).build(), sending.manner().again().isPresent());
    }
    call.start();
  }

  private <Q extends Message, A extends Message> void send(
      MethodDescriptor<Q, A> method, Q request, Function<A, LeaseAnswer> read, Sending sending) {
    call(method, request, read, sending).start();
  }

  private <Q extends Message, A extends Message> KeyedEnding<Q, A> call(
      MethodDescriptor<Q, A> method, Q request, Function<A, LeaseAnswer> read, Sending sending) {
    History<LeaseCall, LeaseAnswer>.Call recorded = history.invoke(number, sending.call());
    client.log().count("operations");
    client.log().count("operation " + sending.call().kind());
    return new KeyedEnding<>(client, method, request, read, sending, recorded);
  }

  /** One call on its way. */
  private static final class KeyedEnding<Q extends Message, A extends Message>
      implements RetriedRequest.Ending<A> {
    private final WireClient client;
    private final Function<A, LeaseAnswer> read;
    private final Sending sending;
    private final History<LeaseCall, LeaseAnswer>.Call recorded;
    private final RetriedRequest<Q, A> request;

    KeyedEnding(
        WireClient client,
        MethodDescriptor<Q, A> method,
        Q request,
        Function<A, LeaseAnswer> read,
        Sending sending,
        History<LeaseCall, LeaseAnswer>.Call recorded) {
      this.client = client;
      this.read = read;
      this.sending = sending;
      this.recorded = recorded;
      this.request =
          new RetriedRequest<>(
              client, method, request, sending.manner().patience(), this::hasEffect, this);
      // One who gives up a release would leave the key to its ttl.
      if (sending.call().kind() == Kind.ACQUIRE || sending.call().kind() == Kind.TRANSFER) {
        this.request.believing();
      }
    }

    void start() {
      request.start();
    }

    KeyedEnding<Q, A> cancelledBy(Q cancel, boolean always) {
      request.cancelledBy(cancel);
      if (always) {
        request.cancellingRefusals();
      }
      return this;
    }

    private boolean hasEffect(A answer) {
      return EFFECTS.contains(read.apply(answer).outcome());
    }

    @Override
    public void answered(A answer) {
      LeaseAnswer told = read.apply(answer);
      client.trace(sending.call() + " -> " + told);
      recorded.ok(told);
      sending.manner().again().ifPresent(in -> client.after(in.toMillis(), () -> again(answer)));
      sending.then().accept(Optional.of(told));
    }

    private void again(A answer) {
      if (hasEffect(answer)) {
        request.sendAgain();
      } else {
        request.replayIfTakenBack();
      }
    }

    @Override
    public void failed(CallFailure failure, boolean none) {
      client.trace(sending.call() + " -> " + failure + (none ? " none" : " unknown"));
      // Nothing else becomes possible by a question, nor by a renewal.
      boolean harmless =
          EnumSet.of(Kind.READ, Kind.VALIDATE, Kind.RENEW).contains(sending.call().kind());
      if (none || harmless) {
        recorded.failed();
      } else {
        client.log().count("unknown");
        recorded.unknown();
      }
      sending.then().accept(Optional.empty());
    }
  }
}
