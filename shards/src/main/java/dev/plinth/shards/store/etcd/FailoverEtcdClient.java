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
 * Calls to etcd, each of which ends within a bounded time. Transactions go over one connection, in
 * the order in which they are sent, since requests that take different ways overtake each other;
 * all other calls go over another, through jetcd.
 */
final class FailoverEtcdClient implements AutoCloseable {
  private final Duration timeout;
  private final MemberConnection<Client> client;
  private final MemberConnection<TxnChannel> txns;

  FailoverEtcdClient(List<String> endpoints, Duration timeout) {
    this.timeout = timeout;
    List<String> members = new ArrayList<>(endpoints);
    Collections.shuffle(members); // not all nodes on the same one
    this.client =
        new MemberConnection<>(
            members, timeout, from -> EtcdClientFactory.connect(from, timeout), Client::close);
    this.txns =
        new MemberConnection<>(
            members, timeout, from -> new TxnChannel(from, timeout), TxnChannel::close);
  }

  <T> CompletableFuture<T> call(Function<Client, CompletableFuture<T>> request) {
    return client.call(via -> bounded(request.apply(via)));
  }

  /**
   * The deadline of each call is gRPC's to keep; this catches what jetcd does not pass on, such as
   * a stream that ends without an answer.
   */
  private <T> CompletableFuture<T> bounded(CompletableFuture<T> answer) {
    return answer.orTimeout(timeout.toNanos() * 3 / 2, TimeUnit.NANOSECONDS);
  }

  CompletableFuture<TxnResponse> txn(List<Cmp> when, List<Op> then, List<Op> otherwise) {
    return txns.call(via -> via.send(when, then, otherwise));
  }

  CompletableFuture<GetResponse> get(ByteSequence key, GetOption option) {
    return txn(List.of(), List.of(Op.get(key, option)), List.of())
        .thenApply(done -> done.getGetResponses().get(0));
  }

  /** Of one member, over a connection of its own: that it is down says nothing of the others. */
  CompletableFuture<StatusResponse> status(String endpoint) {
    String target = EtcdClientFactory.target(List.of(endpoint));
    try {
      return bounded(client.current().getMaintenanceClient().statusMember(target));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void close() {
    client.close();
    txns.close();
  }
}
