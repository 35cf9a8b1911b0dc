package dev.plinth.client;

import dev.plinth.client.config.ConfigAgentBuilder;
import dev.plinth.client.election.Election;
import dev.plinth.client.election.ElectionClient;
import dev.plinth.client.id.IdClient;
import dev.plinth.client.internal.BackgroundExecutor;
import dev.plinth.client.internal.BlockingCaller;
import dev.plinth.client.internal.CallbackExecutor;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientEventLoop;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OwnerIdGenerator;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.client.internal.session.NamespaceSessions;
import dev.plinth.client.internal.session.RegistrySessions;
import dev.plinth.client.lease.LeaseClient;
import dev.plinth.client.limit.LimitOptions;
import dev.plinth.client.limit.RateLimitClient;
import dev.plinth.client.member.MemberClient;
import dev.plinth.client.member.MemberClients;
import dev.plinth.client.partition.PartitionsBuilder;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.machine.Machine;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A connection to Plinth, to be shared by all threads of a process. Closing it releases all it
 * holds.
 */
public final class PlinthClient implements AutoCloseable {
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final Machine machine;
  private final ScheduledExecutorService timer;
  private final ManagedChannel channel;
  private final boolean ownsChannel;
  private final Duration callDeadline;
  private final BackgroundExecutor background;
  private final ClientRuntime runtime;
  private final NamespaceSessions sessions;
  private final OwnerIdGenerator ownerIds;
  private final ElectionClient elections;
  private final IdClient ids;
  private final RegistrySessions registrySessions;
  private final MemberClients members;
  private volatile RateLimitClient rateLimitClient;

  PlinthClient(PlinthClientBuilder builder) {
    machine = builder.machine;
    timer = machine.scheduler("plinth-client-heart");
    ownsChannel = builder.ownsChannel();
    channel = builder.openChannel();
    callDeadline = builder.callDeadline;
    background = new BackgroundExecutor(machine);
    RetrySchedule retries = new RetrySchedule(machine.random());
    ClientEnvironment environment =
        new ClientEnvironment(
            machine,
            new ClientEventLoop(timer),
            new CallbackExecutor(background, builder.callbacksOr(background)),
            retries,
            builder.events);
    OpenSessionRequest terms = builder.sessionTerms();
    runtime =
        new ClientRuntime(
            terms.getOwnerId(),
            channel,
            new BlockingCaller(machine, channel, callDeadline, retries, this::sleep),
            environment,
            builder.operationTimeout,
            background,
            builder.meters);
    sessions = new NamespaceSessions(runtime, terms);
    ownerIds = new OwnerIdGenerator(runtime.owner());
    elections = new ElectionClient(runtime, sessions);
    ids = new IdClient(runtime);
    registrySessions = new RegistrySessions(runtime, builder.memberTtl);
    members = new MemberClients(runtime, registrySessions);
  }

  private boolean sleep(Duration time) throws InterruptedException {
    try {
      machine.await(closed, time);
      return false;
    } catch (TimeoutException e) {
      return true;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a client closes in one way only", e);
    }
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
    return runtime.owner();
  }

  /** The leases of the default namespace. */
  public LeaseClient leases() {
    return leases("default");
  }

  public LeaseClient leases(String namespace) {
    return new LeaseClient(namespace, runtime, sessions, ownerIds);
  }

  /** An election in the default namespace. */
  public Election election(String name) {
    return election("default", name);
  }

  public Election election(String namespace, String name) {
    return elections.election(namespace, name);
  }

  /** The limiters of this client, with the usual options. */
  public RateLimitClient limits() {
    RateLimitClient opened = rateLimitClient;
    return opened != null ? opened : defaultLimits();
  }

  private synchronized RateLimitClient defaultLimits() {
    if (rateLimitClient == null) {
      rateLimitClient = limits(LimitOptions.defaults());
    }
    return rateLimitClient;
  }

  /** Limiters of their own, with leases of their own; closed with the client, if not before. */
  public RateLimitClient limits(LimitOptions options) {
    return new RateLimitClient(runtime, options);
  }

  /** Identifiers. */
  public IdClient ids() {
    return ids;
  }

  /** The groups of the default namespace, at the registry. */
  public MemberClient members() {
    return members("default");
  }

  public MemberClient members(String namespace) {
    return members.of(namespace);
  }

  /**
   * The partitions that the members of a group of the default namespace share, at the registry.
   *
   * @param count how many; the same for all members
   */
  public PartitionsBuilder partitions(String group, int count) {
    return partitions("default", group, count);
  }

  public PartitionsBuilder partitions(String namespace, String group, int count) {
    return new PartitionsBuilder(namespace, group, count, runtime, registrySessions);
  }

  /** An agent that keeps configs of the default namespace in memory, to be started. */
  public ConfigAgentBuilder configAgent() {
    return configAgent("default");
  }

  public ConfigAgentBuilder configAgent(String namespace) {
    return new ConfigAgentBuilder(namespace, runtime, registrySessions.of(namespace));
  }

  /** For guards to report a stale token to this client's metrics. */
  public void fenceRejected() {
    runtime.environment().events().fenceRejected();
  }

  /**
   * Members drain and leave. Every lease that is still held is LOST here, then released at the
   * server.
   */
  @Override
  public void close() {
    runtime.close();
    sessions.close(callDeadline);
    registrySessions.close(callDeadline);
    closed.complete(null);
    runtime.endStreams();
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
    background.close();
  }
}
