package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.maintenance.StatusResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Calls to etcd, each of which ends within a bounded time. They all go to one member, transactions
 * over one connection, since requests that take different ways overtake each other. When that
 * member does not answer, the next one is tried, on a new channel: gRPC's own would stay with a
 * member that hangs, and after a long outage would sit out a backoff of up to two minutes.
 */
final class Etcd implements AutoCloseable {
  private final List<String> endpoints;
  private final Duration timeout;
  private Member member;
  private boolean closed;
  private long lastWord;

  Etcd(List<String> endpoints, Duration timeout) {
    this.endpoints = new ArrayList<>(endpoints);
    // Not all nodes on the same member.
    Collections.shuffle(this.endpoints);
    this.timeout = timeout;
    this.member = connect();
    this.lastWord = System.nanoTime();
  }

  /** The connections to the member that is used now. */
  private record Member(Client client, TxnChannel txns) {
    private void close() {
      client.close();
      txns.close();
    }
  }

  private Member connect() {
    return new Member(Clients.connect(endpoints, timeout), new TxnChannel(endpoints, timeout));
  }

  <T> CompletableFuture<T> call(Function<Client, CompletableFuture<T>> request) {
    Member used = current();
    return bounded(request, used.client).whenComplete((done, failure) -> heard(used, failure));
  }

  private <T> CompletableFuture<T> bounded(
      Function<Client, CompletableFuture<T>> request, Client client) {
    try {
      // The deadline of each call is gRPC's to keep; this catches what jetcd does not pass on, such
      // as a stream that ends without an answer.
      return request.apply(client).orTimeout(timeout.toNanos() * 3 / 2, TimeUnit.NANOSECONDS);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  CompletableFuture<TxnResponse> txn(List<Cmp> when, List<Op> then, List<Op> otherwise) {
    Member used = current();
    return used.txns
        .send(when, then, otherwise)
        .whenComplete((done, failure) -> heard(used, failure));
  }

  /** As a transaction, since jetcd logs two warnings for every plain read that fails. */
  CompletableFuture<GetResponse> get(ByteSequence key, GetOption option) {
    return txn(List.of(), List.of(Op.get(key, option)), List.of())
        .thenApply(done -> done.getGetResponses().get(0));
  }

  /** Of one member, over a connection of its own: that it is down says nothing of the others. */
  CompletableFuture<StatusResponse> status(String endpoint) {
    String target = Clients.target(List.of(endpoint));
    return bounded(via -> via.getMaintenanceClient().statusMember(target), current().client);
  }

  private synchronized Member current() {
    return member;
  }

  private synchronized void heard(Member from, Throwable failure) {
    long now = System.nanoTime();
    if (failure == null || Failing.of(failure) != Failing.DOUBTFUL) {
      lastWord = now;
    } else if (from == member && !closed && now - lastWord > timeout.toNanos() / 2) {
      lastWord = now; // of the next member
      Collections.rotate(endpoints, -1);
      member.close();
      member = connect();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    member.close();
  }
}
