package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.op.TxnImpl;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * One connection of a client to the simulated etcd. Every call ends within the timeout. Futures are
 * completed on the client's events.
 */
public final class SimulatedEtcdConnection implements AutoCloseable {
  private final SimulatedEtcd etcd;
  private final String client;
  private final ScheduledExecutorService events;
  private final Duration timeout;
  private final Set<EtcdCall<?>> inFlight = new LinkedHashSet<>();
  private long lastArrival;
  private boolean closed;

  SimulatedEtcdConnection(
      SimulatedEtcd etcd, String client, ScheduledExecutorService events, Duration timeout) {
    this.etcd = etcd;
    this.client = client;
    this.events = events;
    this.timeout = timeout;
    this.lastArrival = etcd.now();
  }

  /** Sends a transaction. Unless a fault says otherwise, they are applied in this order. */
  public CompletableFuture<TxnResponse> send(List<Cmp> when, List<Op> then, List<Op> otherwise) {
    return TxnImpl.newTxn(
            request ->
                call(request, EtcdModel::txn)
                    .thenApply(done -> new TxnResponse(done, ByteSequence.EMPTY)),
            ByteSequence.EMPTY)
        .If(when.toArray(Cmp[]::new))
        .Then(then.toArray(Op[]::new))
        .Else(otherwise.toArray(Op[]::new))
        .commit();
  }

  /**
   * jetcd's client over this connection: KV, Lease ({@code grant}, {@code revoke}, {@code
   * keepAliveOnce}) and Maintenance ({@code listAlarms}, {@code alarmDisarm}, {@code statusMember},
   * {@code defragmentMember}). Whatever else is asked of it throws UnsupportedOperationException.
   * Closing it closes the connection.
   */
  public Client client() {
    return new SimulatedClient(this);
  }

  String name() {
    return client;
  }

  /** Sends any request of etcd. */
  <Q extends MessageLite, A> CompletableFuture<A> call(
      Q request, BiFunction<EtcdModel, Q, A> apply) {
    RequestFate fate = etcd.fate(client, request);
    EtcdCall<A> call = new EtcdCall<>(request, fate, () -> apply.apply(etcd.model(), request));
    if (closed) {
      call.failing(EtcdErrors.unavailable("Channel shutdown invoked")).run();
      return call.future();
    }
    begin(call);
    if (fate == RequestFate.REFUSED || etcd.link(client).state() == EtcdLinkState.REFUSED) {
      etcd.after(
          etcd.faults().delayNanos(etcd.random()),
          () -> atClient(call.failing(EtcdErrors.unavailable("io exception"))));
    } else if (fate != RequestFate.REQUEST_LOST) {
      etcd.arrive(travel(fate), this, call);
    }
    return call.future();
  }

  private void begin(EtcdCall<?> call) {
    inFlight.add(call);
    Future<?> deadline =
        events.schedule(
            call.failing(EtcdErrors.deadlineExceeded()), timeout.toNanos(), TimeUnit.NANOSECONDS);
    call.future()
        .whenComplete(
            (answer, failure) -> {
              inFlight.remove(call);
              deadline.cancel(false);
            });
  }

  /** A nanosecond apart at least: events of the same time may run in any order. */
  private long travel(RequestFate fate) {
    long delay = etcd.faults().delayNanos(etcd.random());
    if (fate == RequestFate.APPLIED_LATE) {
      return delay + etcd.faults().lateNanos(etcd.random());
    }
    lastArrival = Math.max(lastArrival + 1, etcd.now() + delay);
    return lastArrival - etcd.now();
  }

  /** A client that is gone hears nothing. */
  void atClient(Runnable event) {
    try {
      events.execute(event);
    } catch (RejectedExecutionException e) {
      inFlight.clear();
    }
  }

  void failAll(String why) {
    List.copyOf(inFlight).forEach(call -> atClient(call.failing(EtcdErrors.unavailable(why))));
  }

  /** Calls that are under way fail with UNAVAILABLE; they may be applied all the same. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      etcd.closed(this);
      List.copyOf(inFlight)
          .forEach(
              call -> call.failing(EtcdErrors.unavailable("Channel shutdownNow invoked")).run());
    }
  }
}
