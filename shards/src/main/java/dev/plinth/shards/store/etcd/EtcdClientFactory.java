package dev.plinth.shards.store.etcd;

import io.etcd.jetcd.Client;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** jetcd clients, set up against its defaults. */
final class EtcdClientFactory {
  static final int MAX_ANSWER_BYTES = 16 << 20;

  // jetcd warns twice of every request of these that fails; what is wrong with etcd we say
  // ourselves, once. Kept here: java.util.logging forgets the levels of loggers nobody holds.
  private static final List<Logger> QUIET =
      Stream.of("LeaseImpl", "KVImpl", "MaintenanceImpl", "ClusterImpl")
          .map(name -> Logger.getLogger("io.etcd.jetcd.impl." + name))
          .toList();

  static {
    QUIET.forEach(logger -> logger.setLevel(Level.OFF));
  }

  private EtcdClientFactory() {}

  static Client connect(List<String> endpoints, Duration timeout) {
    return Client.builder()
        .target(target(endpoints))
        .loadBalancerPolicy("pick_first")
        .executorService(new Direct())
        .interceptor(new Deadline(timeout))
        .connectTimeout(timeout)
        .maxInboundMessageSize(MAX_ANSWER_BYTES)
        .waitForReady(false)
        .retryMaxAttempts(0) // it would also repeat what must be asked first whether it happened
        .build();
  }

  static String target(List<String> endpoints) {
    return "ip:///" + String.join(",", endpoints);
  }

  /** jetcd sends from a pool by default, which loses the order of requests. */
  private static final class Direct extends AbstractExecutorService {
    private volatile boolean shutdown;

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public void shutdown() {
      shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
      shutdown = true;
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return shutdown;
    }

    @Override
    public boolean isTerminated() {
      return shutdown;
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) {
      return shutdown;
    }
  }

  /** jetcd has no deadlines of its own: a call to a server that hangs would hang as well. */
  private record Deadline(Duration timeout) implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return next.newCall(
          method, options.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS));
    }
  }
}
