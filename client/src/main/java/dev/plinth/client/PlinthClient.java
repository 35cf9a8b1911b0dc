package dev.plinth.client;

import dev.plinth.client.id.Ids;
import dev.plinth.client.limit.LimitOptions;
import dev.plinth.client.limit.Limits;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.OpenSessionRequest;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A connection to Plinth, to be shared by all threads of a process. Closing it releases all it
 * holds.
 */
public final class PlinthClient implements AutoCloseable {
  private final ScheduledExecutorService timer;
  private final ManagedChannel channel;
  private final boolean ownsChannel;
  private final Duration callDeadline;
  private final Wiring wiring;
  private final Owners owners;
  private final Line line;
  private final Ids ids;
  private volatile Limits limits;

  PlinthClient(PlinthClientBuilder builder) {
    timer = builder.timer();
    ownsChannel = builder.ownsChannel();
    channel = builder.openChannel();
    callDeadline = builder.callDeadline();
    OwnThread thread = new OwnThread(timer);
    RetryRule rule = builder.rule();
    Calls calls = new Calls(channel, callDeadline, rule, builder.pause());
    Attempts attempts = new Attempts(channel, thread, builder.nanos());
    Executor background = builder.background();
    Rhythm rhythm =
        new Rhythm(
            builder.nanos(),
            builder.wall(),
            thread,
            new CallbackExecutor(background, builder.callbacksOr(background)),
            rule,
            builder.events());
    OpenSessionRequest terms = builder.sessionTerms();
    wiring =
        new Wiring(
            terms.getOwnerId(),
            channel,
            calls,
            new Errands(channel, rule, thread),
            new Sessions(calls, beat -> heart(attempts, beat), rhythm, terms),
            rhythm,
            background,
            builder.patience(),
            Context.ROOT.withCancellation(),
            new TokenWatermarks(),
            new ConcurrentHashMap<>());
    owners = new Owners(wiring.owner());
    line = new Line(wiring, attempts, builder.meters());
    ids = new Ids(line);
  }

  private static Heart heart(Attempts attempts, HeartbeatRequest beat) {
    return deadline -> attempts.send(LeaseServiceGrpc.getHeartbeatMethod(), beat, deadline);
  }

  /** A client of the server at {@code host:port}, or any other target that gRPC resolves. */
  public static PlinthClient connect(String target) {
    return builder(target).build();
  }

  public static PlinthClientBuilder builder(String target) {
    return new PlinthClientBuilder(target, null);
  }

  /** The channel stays its caller's to close. */
  public static PlinthClientBuilder builder(ManagedChannel channel) {
    return new PlinthClientBuilder(null, channel);
  }

  public String owner() {
    return wiring.owner();
  }

  /** The leases of the default namespace. */
  public Leases leases() {
    return leases("default");
  }

  public Leases leases(String namespace) {
    return new Leases(namespace, wiring, owners);
  }

  /** An election in the default namespace. */
  public Election election(String name) {
    return election("default", name);
  }

  public Election election(String namespace, String name) {
    return new Election(namespace, name, wiring);
  }

  /** The limiters of this client, with the usual options. */
  public Limits limits() {
    Limits opened = limits;
    return opened != null ? opened : usualLimits();
  }

  private synchronized Limits usualLimits() {
    if (limits == null) {
      limits = limits(LimitOptions.usual());
    }
    return limits;
  }

  /** Limiters of their own, with leases of their own; closed with the client, if not before. */
  public Limits limits(LimitOptions options) {
    return new Limits(line, options);
  }

  /** Identifiers. */
  public Ids ids() {
    return ids;
  }

  /** For guards to report a stale token to this client's metrics. */
  public void fenceRejected() {
    wiring.rhythm().events().fenceRejected();
  }

  /** Every lease that is still held is LOST here, then released at the server. */
  @Override
  public void close() {
    line.close();
    wiring.sessions().close(callDeadline);
    wiring.life().cancel(null);
    timer.shutdownNow();
    if (ownsChannel) {
      channel.shutdown();
      try {
        channel.awaitTermination(callDeadline.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      channel.shutdownNow();
    }
  }
}
