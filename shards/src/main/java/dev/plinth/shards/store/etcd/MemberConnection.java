package dev.plinth.shards.store.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A connection to one member of etcd. When nothing comes over it any more it is replaced by one to
 * the next member: gRPC's own channel would stay with a member that hangs, and after a long outage
 * would sit out a backoff of up to two minutes.
 *
 * @param <C> what calls are made on
 */
final class MemberConnection<C> implements AutoCloseable {
  private final List<String> endpoints;
  private final Duration timeout;
  private final Function<List<String>, C> connect;
  private final Consumer<C> disconnect;
  private final LongSupplier nanos;
  private C current;
  private boolean closed;
  private long lastAnswer;

  MemberConnection(
      List<String> endpoints,
      Duration timeout,
      LongSupplier nanos,
      Function<List<String>, C> connect,
      Consumer<C> disconnect) {
    this.endpoints = new ArrayList<>(endpoints);
    this.timeout = timeout;
    this.nanos = nanos;
    this.connect = connect;
    this.disconnect = disconnect;
    this.current = connect.apply(this.endpoints);
    this.lastAnswer = nanos.getAsLong();
  }

  <T> CompletableFuture<T> call(Function<C, CompletableFuture<T>> request) {
    C used = current();
    return send(request, used).whenComplete((done, failure) -> answered(used, failure));
  }

  private static <C, T> CompletableFuture<T> send(
      Function<C, CompletableFuture<T>> request, C connection) {
    try {
      return request.apply(connection);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  synchronized C current() {
    return current;
  }

  private void answered(C from, Throwable failure) {
    if (replaces(from, failure)) {
      // Not under the lock: calls that are in flight end with it, on this thread.
      disconnect.accept(from);
    }
  }

  private synchronized boolean replaces(C from, Throwable failure) {
    long now = nanos.getAsLong();
    if (failure == null || EtcdFailure.of(failure) != EtcdFailure.DOUBTFUL) {
      lastAnswer = now;
      return false;
    }
    if (from != current || closed || now - lastAnswer <= timeout.toNanos() / 2) {
      return false;
    }
    lastAnswer = now; // of the next member
    Collections.rotate(endpoints, -1);
    current = connect.apply(endpoints);
    return true;
  }

  @Override
  public void close() {
    C last;
    synchronized (this) {
      closed = true;
      last = current;
    }
    disconnect.accept(last);
  }
}
