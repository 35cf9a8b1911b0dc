package dev.plinth.simulation.workload;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResponse;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.simulation.cluster.SimulatedCluster;
import dev.plinth.simulation.cluster.Takeovers;
import io.grpc.CallOptions;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps a key by renewals. When another node takes its shard over, and the hold surely lived then,
 * it falls silent and renews at the last moment: the whole ttl counts from when the rows were
 * loaded, so the hold must be there.
 */
final class GraceClient {
  private static final long MILLI = 1_000_000;
  private static final String KEY = "kept";

  private final WireClient client;
  private final SimulatedCluster cluster;
  private final Takeovers takeovers;
  private final long driftPpm;
  private final long sessionMillis;
  private SplittableRandom random;
  private Duration ttl = Duration.ZERO;
  private long token;
  private long keptFrom;
  private int node;
  private int renewals;

  GraceClient(
      WireClient client, SimulatedCluster cluster, Takeovers takeovers, SwarmOptions options) {
    this.client = client;
    this.sessionMillis = options.settings().sessionSeconds() * 1000L;
    this.cluster = cluster;
    this.takeovers = takeovers;
    this.driftPpm = options.driftPpm();
    this.random = client.random();
  }

  private String namespace() {
    return "grace-" + client.name();
  }

  void start() {
    if (client.log().isOver()) {
      return;
    }
    boolean present = client.beginTurn();
    random = client.turnRandom();
    if (!present) {
      client.after(random.nextLong(1000), this::start);
      return;
    }
    // Longer than it takes until another node has the shard of one that died.
    ttl = Duration.ofMillis(sessionMillis + random.nextLong(1000, 6000));
    AcquireRequest request =
        AcquireRequest.newBuilder()
            .setNamespace(namespace())
            .setKey(KEY)
            .setOwnerId(client.name() + "-" + client.newRequestId())
            .setMode(Mode.MODE_EXCLUSIVE)
            .setTtl(Durations.fromMillis(ttl.toMillis()))
            .build();
    long asked = client.now();
    send(
        LeaseServiceGrpc.getAcquireMethod(),
        request,
        2000,
        answer -> {
          if (answer.map(AcquireResponse::getOutcome).filter(GraceClient::isGranted).isEmpty()) {
            client.after(random.nextLong(200), this::start);
            return;
          }
          token = answer.get().getLease().getToken();
          keptFrom = asked;
          renewals = random.nextInt(20, 80);
          keep();
        });
  }

  private static boolean isGranted(AcquireResponse.Outcome outcome) {
    return outcome == AcquireResponse.Outcome.OUTCOME_GRANTED;
  }

  private void keep() {
    if (client.log().isOver() || renewals-- == 0) {
      client.after(random.nextLong(1, 1000), this::start); // forgotten
      return;
    }
    client.after(random.nextLong(1, ttl.toMillis() / 6), this::renewOrTest);
  }

  private void renewOrTest() {
    if (client.log().isOver()) {
      return;
    }
    Optional<Takeovers.Takeover> last =
        cluster.shardOf(namespace()).stream()
            .boxed()
            .flatMap(shard -> takeovers.last(shard).stream())
            .filter(takeover -> takeover.asked() > keptFrom)
            .findFirst();
    if (last.isEmpty()) {
      renew(Optional.empty());
    } else if (last.get().claimed() < keptFrom + least()) {
      awaitLoaded(last.get());
    } else {
      start(); // nobody knows whether it lived
    }
  }

  private long least() {
    return KeyedHistory.atLeast(ttl, driftPpm).toNanos();
  }

  private void awaitLoaded(Takeovers.Takeover takeover) {
    if (takeover.loaded().isEmpty()) {
      // Or never: then another one follows.
      client.after(random.nextLong(1, 200), this::renewOrTest);
      return;
    }
    long until = takeover.loaded().get() + least();
    long early = random.nextBoolean() ? random.nextLong(5, 50) : random.nextLong(50, 1000);
    long wait = (until - client.now()) / MILLI - early;
    node = cluster.nodes().stream().map(each -> each.name()).toList().indexOf(takeover.node());
    client.log().count("graces");
    client.after(Math.max(0, wait), () -> renew(Optional.of(until)));
  }

  /**
   * @param livesUntil when it is surely there at least
   */
  private void renew(Optional<Long> livesUntil) {
    long asked = client.now();
    send(
        LeaseServiceGrpc.getRenewMethod(),
        RenewRequest.newBuilder()
            .setNamespace(namespace())
            .addItems(RenewItem.newBuilder().setKey(KEY).setToken(token))
            .build(),
        300,
        answer -> {
          if (answer.isEmpty()) {
            keep();
          } else if (isRenewed(answer.get())) {
            keptFrom = asked;
            keep();
          } else {
            long lived = Math.max(livesUntil.orElse(Long.MIN_VALUE), keptFrom + least());
            if (client.now() < lived) {
              client
                  .log()
                  .violation(
                      "grace spent: %s lost %d ms early, ttl %s"
                          .formatted(client.name(), (lived - client.now()) / MILLI, ttl));
            }
            start();
          }
        });
  }

  private static boolean isRenewed(RenewResponse response) {
    return response.getResults(0).getState() == RenewResult.State.STATE_RENEWED;
  }

  /** One attempt, at one node after the other. */
  private <Q, A> void send(
      MethodDescriptor<Q, A> method, Q request, long millis, Consumer<Optional<A>> then) {
    client.log().count("operations");
    int to = Math.max(0, node);
    node = (to + 1) % client.nodes();
    Deadline deadline = Deadline.after(millis, TimeUnit.MILLISECONDS, client.machine().ticker());
    ClientCalls.asyncUnaryCall(
        client.channel(to).newCall(method, CallOptions.DEFAULT.withDeadline(deadline)),
        request,
        new StreamObserver<A>() {
          @Override
          public void onNext(A answer) {
            node = to;
            then.accept(Optional.of(answer));
          }

          @Override
          public void onError(Throwable thrown) {
            then.accept(Optional.empty());
          }

          @Override
          public void onCompleted() {}
        });
  }
}
