package dev.plinth.shards.store.etcd;

import dev.plinth.machine.Machine;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.maintenance.StatusResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.op.TxnImpl;
import io.etcd.jetcd.options.GetOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Calls to etcd, each of which ends within a bounded time. Transactions go over one connection, in
 * the order in which they are sent, since requests that take different ways overtake each other;
 * all other calls go over another, through jetcd.
 */
final class FailoverEtcdClient implements AutoCloseable {
  private static final int LONGEST_WAIT = 3;

  private final Duration timeout;
  private final MemberConnection<Client> client;
  private final MemberConnection<TxnSender> txns;
  private final Machine machine;
  private final ScheduledExecutorService timer;

  /**
   * @param timer ends what takes too long
   */
  FailoverEtcdClient(
      List<String> endpoints,
      Duration timeout,
      EtcdConnections connections,
      Machine machine,
      ScheduledExecutorService timer) {
    this.timeout = timeout;
    this.machine = machine;
    this.timer = timer;
    List<String> members = new ArrayList<>(endpoints);
    shuffle(members, machine.random()); // not all nodes on the same one
    this.client =
        new MemberConnection<>(
            members,
            timeout,
            machine.nanos(),
            from -> connections.client(from, timeout),
            Client::close);
    this.txns =
        new MemberConnection<>(
            members,
            timeout,
            machine.nanos(),
            from -> connections.txns(from, timeout),
            TxnSender::close);
  }

  private static void shuffle(List<String> members, RandomGenerator random) {
    for (int i = members.size() - 1; i > 0; i--) {
      Collections.swap(members, i, random.nextInt(i + 1));
    }
  }

  <T> CompletableFuture<T> call(Function<Client, CompletableFuture<T>> request) {
    return client.call(via -> bounded(request.apply(via)));
  }

  /**
   * The deadline of each call is gRPC's to keep; this catches what jetcd does not pass on, such as
   * a stream that ends without an answer.
   */
  private <T> CompletableFuture<T> bounded(CompletableFuture<T> answer) {
    ScheduledFuture<?> end =
        timer.schedule(
            () -> answer.completeExceptionally(new TimeoutException()),
            timeout.toNanos() * 3 / 2,
            TimeUnit.NANOSECONDS);
    answer.whenComplete((done, failure) -> end.cancel(false));
    return answer;
  }

  /**
   * Waits for an answer. It comes within the time of a request, if not well; should it not come at
   * all, that is as if it were lost.
   *
   * @throws CompletionException as the answer failed
   */
  <T> T await(CompletableFuture<T> answer) {
    try {
      return machine.await(answer, timeout.multipliedBy(LONGEST_WAIT));
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } catch (TimeoutException e) {
      throw new CompletionException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  /** The answer to a read, or StoreUnavailable. */
  <T> T read(String what, CompletableFuture<T> answer) {
    try {
      return await(answer);
    } catch (CompletionException e) {
      throw EtcdFailure.notApplied(what, e);
    }
  }

  /** The answer to a write, or StoreUnavailable that tells whether it may have been applied. */
  <T> T write(String what, CompletableFuture<T> answer) {
    try {
      return await(answer);
    } catch (CompletionException e) {
      throw EtcdFailure.of(e) == EtcdFailure.DOUBTFUL
          ? EtcdFailure.unknown(what, e)
          : EtcdFailure.notApplied(what, e);
    }
  }

  CompletableFuture<TxnResponse> txn(List<Cmp> when, List<Op> then, List<Op> otherwise) {
    return txns.call(
        via ->
            TxnImpl.newTxn(via::send, ByteSequence.EMPTY)
                .If(when.toArray(Cmp[]::new))
                .Then(then.toArray(Op[]::new))
                .Else(otherwise.toArray(Op[]::new))
                .commit());
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
