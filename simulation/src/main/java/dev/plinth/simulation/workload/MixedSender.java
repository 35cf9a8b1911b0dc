package dev.plinth.simulation.workload;

import com.google.protobuf.Message;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.testkit.History;
import dev.plinth.testkit.lease.LogAnswer;
import dev.plinth.testkit.lease.LogCall;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Sends the calls of the mixed work and records them. */
final class MixedSender {
  private final WireClient client;
  private final int number;
  private final History<LogCall, LogAnswer> history;

  MixedSender(WireClient client, int number, History<LogCall, LogAnswer> history) {
    this.client = client;
    this.number = number;
    this.history = history;
  }

  /**
   * How an acquire is sent.
   *
   * @param session that holds are bound to; empty for none
   * @param givesUpAfter then the request is cancelled, and how it ended is the call's answer
   */
  record Manner(
      Duration timeout, Patience patience, String session, Optional<Duration> givesUpAfter) {}

  void acquire(LogCall recorded, LogCall sent, Manner manner, Consumer<Optional<LogAnswer>> then) {
    String id = client.newRequestId();
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
    Manner manner = new Manner(Duration.ZERO, patience, "", Optional.empty());
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
    History<LogCall, LogAnswer>.Call recorded = history.invoke(number, call);
    client.log().count("operations");
    client.log().count("operation mixed " + call.kind());
    boolean renewal = call.kind() == LogCall.Kind.RENEW;
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
    if (call.kind() == LogCall.Kind.ACQUIRE) {
      retried.cancelledBy(cancel.apply(request));
    }
    retried.start();
    manner.givesUpAfter().ifPresent(in -> client.after(in.toMillis(), () -> giveUp(retried)));
  }

  private void giveUp(RetriedRequest<?, ?> request) {
    client.log().count("cancels");
    request.giveUp();
  }
}
