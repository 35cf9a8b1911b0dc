package dev.plinth.simulation.workload;

import com.google.protobuf.Message;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Sends the calls of the mixed work and records them. */
final class MixedSender {
  private final WireClient client;
  private final int number;
  private final History<LogCall, LogAnswer> history;
  private final Set<String> sentOnce;

  /**
   * @param sentOnce gets the owners whose acquire was answered at the first attempt
   */
  MixedSender(
      WireClient client, int number, History<LogCall, LogAnswer> history, Set<String> sentOnce) {
    this.client = client;
    this.number = number;
    this.history = history;
    this.sentOnce = sentOnce;
  }

  /**
   * How an acquire is sent.
   *
   * @param session that holds are bound to; empty for none
   * @param givesUpAfter then the request is cancelled, and how it ended is the call's answer
   * @param replayAfter then it is sent again, if it was taken back
   */
  record Manner(
      Duration timeout,
      Patience patience,
      String session,
      Optional<Duration> givesUpAfter,
      Optional<Duration> replayAfter) {}

  void acquire(LogCall recorded, LogCall sent, Manner manner, Consumer<Optional<LogAnswer>> then) {
    // Without a request id, it can be sent but once.
    String id = manner.patience().isEndless() ? client.newRequestId() : "";
    if (sent.items().size() == 1) {
      send(
          LeaseServiceGrpc.getAcquireMethod(),
          MixedWire.acquire(sent, id, manner.timeout(), manner.session()),
          MixedWire::acquired,
          recorded,
          then,
          manner,
          request -> request.toBuilder().setCancel(true).build());
    } else {
      send(
          LeaseServiceGrpc.getAcquireSetMethod(),
          MixedWire.acquireSet(sent, id, manner.timeout(), manner.session()),
          MixedWire::acquired,
          recorded,
          then,
          manner,
          request -> request.toBuilder().setCancel(true).build());
    }
  }

  /**
   * @param key of the hold that the call is about; empty if about none
   */
  void send(LogCall call, String key, Patience patience, Consumer<Optional<LogAnswer>> then) {
    String id = client.newRequestId();
    Manner manner = new Manner(Duration.ZERO, patience, "", Optional.empty(), Optional.empty());
    switch (call.kind()) {
      case RELEASE ->
          send(
              LeaseServiceGrpc.getReleaseMethod(),
              MixedWire.release(call, key, id),
              MixedWire::released,
              call,
              then,
              manner,
              request -> request);
      case FORCE_RELEASE ->
          send(
              LeaseServiceGrpc.getForceReleaseMethod(),
              MixedWire.force(call, key, id),
              MixedWire::forced,
              call,
              then,
              manner,
              request -> request);
      case RENEW ->
          send(
              LeaseServiceGrpc.getRenewMethod(),
              MixedWire.renew(call, key),
              MixedWire::renewed,
              call,
              then,
              manner,
              request -> request);
      case TRANSFER ->
          send(
              LeaseServiceGrpc.getTransferMethod(),
              MixedWire.transfer(call, key, id),
              MixedWire::transferred,
              call,
              then,
              manner,
              request -> request);
      case SET_POLICY ->
          send(
              LeaseServiceGrpc.getSetPolicyMethod(),
              MixedWire.policy(call, id),
              response -> LogAnswer.succeeded(),
              call,
              then,
              manner,
              request -> request);
      default -> throw new AssertionError(call);
    }
  }

  private <Q extends Message, A extends Message> void send(
      MethodDescriptor<Q, A> method,
      Q request,
      Function<A, LogAnswer> read,
      LogCall call,
      Consumer<Optional<LogAnswer>> then,
      Manner manner,
      UnaryOperator<Q> cancel) {
    if (!client.beginStep()) {
      then.accept(Optional.empty());
      return;
    }
    History<LogCall, LogAnswer>.Call recorded = history.invoke(number, call);
    client.log().count("operations");
    client.log().count("operation mixed " + call.kind());
    boolean renewal = call.kind() == LogCall.Kind.RENEW;
    AtomicReference<RetriedRequest<Q, A>> self = new AtomicReference<>();
    RetriedRequest<Q, A> retried =
        new RetriedRequest<>(
            client,
            method,
            request,
            manner.patience(),
            answer -> !renewal && read.apply(answer).done(),
            new RetriedRequest.Ending<A>() {
              @Override
              public void answered(A answer) {
                LogAnswer told = read.apply(answer);
                client.trace(call + " -> " + told);
                recorded.ok(told);
                if (self.get().attempts() == 1) {
                  sentOnce.add(call.owner());
                }
                manner
                    .replayAfter()
                    .ifPresent(in -> client.after(in.toMillis(), self.get()::replayIfTakenBack));
                then.accept(Optional.of(told));
              }

              @Override
              public void failed(CallFailure failure, boolean none) {
                client.trace(call + " -> " + failure + (none ? " none" : " unknown"));
                if (none) {
                  recorded.ok(LogAnswer.refused()); // so it must not stand in the log
                } else {
                  client.log().count("unknown");
                  recorded.unknown();
                }
                then.accept(Optional.empty());
              }
            });
    self.set(retried);
    if (call.kind() != LogCall.Kind.SET_POLICY) {
      retried.believing();
    }
    if (call.kind() == LogCall.Kind.ACQUIRE && manner.patience().isEndless()) {
      retried.cancelledBy(cancel.apply(request));
      manner.replayAfter().ifPresent(in -> retried.cancellingRefusals());
    }
    boolean neverSent = manner.givesUpAfter().isPresent() && client.random().nextInt(3) == 0;
    if (neverSent) {
      retried.startCancelled();
      return;
    }
    retried.start();
    manner.givesUpAfter().ifPresent(in -> client.after(in.toMillis(), () -> giveUp(retried)));
  }

  private void giveUp(RetriedRequest<?, ?> request) {
    client.log().count("cancels");
    request.giveUp();
  }
}
