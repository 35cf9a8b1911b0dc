package dev.plinth.simulation.workload;

import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.CloseSessionResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A session of a client, kept by heartbeats for a while, then closed or forgotten, and opened anew.
 * It must not be lost within its ttl of a heartbeat that was answered.
 */
final class ClientSession {
  /** One life of it. */
  record Open(String id, Duration ttl, Duration lockDelay) {}

  private final WireClient client;
  private final SwarmOptions options;
  private final SplittableRandom random;
  private Optional<Open> open = Optional.empty();
  private long keptFrom;
  private boolean mayBeClosed;
  private int opened;
  private int beats;

  ClientSession(WireClient client, SwarmOptions options) {
    this.client = client;
    this.options = options;
    this.random = client.random();
  }

  Optional<Open> open() {
    return open;
  }

  void start() {
    if (client.log().isOver()) {
      return;
    }
    if (!client.has("session " + ++opened)) {
      client.after(1000, this::start);
      return;
    }
    Duration ttl = Duration.ofMillis(random.nextInt(500, 4000));
    Duration delay =
        random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextInt(50, 1000));
    long asked = client.now();
    OpenSessionRequest request =
        OpenSessionRequest.newBuilder()
            .setNamespace(MixedWire.NAMESPACE)
            .setOwnerId(client.name())
            .setTtl(MixedWire.duration(ttl))
            .setLockDelay(MixedWire.duration(delay))
            .setRequestId(client.newRequestId())
            .build();
    client.log().count("operations");
    new RetriedRequest<>(
            client,
            LeaseServiceGrpc.getOpenSessionMethod(),
            request,
            Patience.endless(2000, 50),
            answer -> true,
            new RetriedRequest.Ending<OpenSessionResponse>() {
              @Override
              public void answered(OpenSessionResponse answer) {
                Duration bar = KeyedHistory.atLeast(delay, options.driftPpm());
                opened(new Open(answer.getSessionId(), ttl, bar), asked);
              }

              @Override
              public void failed(CallFailure failure, boolean none) {
                client.after(1000, ClientSession.this::start);
              }
            })
        .start();
  }

  private void opened(Open session, long asked) {
    open = Optional.of(session);
    keptFrom = asked;
    mayBeClosed = false;
    beat(session, random.nextInt(2, 40));
  }

  private void beat(Open session, int times) {
    if (client.log().isOver() || times == 0) {
      end(session);
      return;
    }
    if (!client.has("beat " + ++beats)) {
      client.after(session.ttl().toMillis() / 3, () -> beat(session, times - 1));
      return;
    }
    long asked = client.now();
    client.log().count("operations");
    new RetriedRequest<>(
            client,
            LeaseServiceGrpc.getHeartbeatMethod(),
            HeartbeatRequest.newBuilder()
                .setNamespace(MixedWire.NAMESPACE)
                .setSessionId(session.id())
                .build(),
            Patience.endless(1000, 20),
            answer -> false,
            new RetriedRequest.Ending<HeartbeatResponse>() {
              @Override
              public void answered(HeartbeatResponse answer) {
                keptFrom = Math.max(keptFrom, asked);
                client.after(session.ttl().toMillis() / 3, () -> beat(session, times - 1));
              }

              @Override
              public void failed(CallFailure failure, boolean none) {
                lost(session, failure);
              }
            })
        .start();
  }

  private void lost(Open session, CallFailure failure) {
    client.trace("session " + session.id() + " lost: " + failure);
    long held = client.now() - keptFrom;
    long least = KeyedHistory.atLeast(session.ttl(), options.driftPpm()).toNanos();
    if (failure.code() != Status.Code.FAILED_PRECONDITION
        && failure.code() != Status.Code.NOT_FOUND) {
      client.log().violation("a heartbeat ended with " + failure);
    } else if (held < least && !mayBeClosed) {
      client.log().violation("session " + session + " lost after " + held / 1_000_000 + " ms");
    }
    client.log().count("sessions lost");
    open = Optional.empty();
    client.after(random.nextInt(1000), this::start);
  }

  private void end(Open session) {
    open = Optional.empty();
    if (random.nextInt(3) == 0) {
      client.after(random.nextInt(1000), this::start); // forgotten
      return;
    }
    mayBeClosed = true;
    client.log().count("operations");
    new RetriedRequest<>(
            client,
            LeaseServiceGrpc.getCloseSessionMethod(),
            CloseSessionRequest.newBuilder()
                .setNamespace(MixedWire.NAMESPACE)
                .setSessionId(session.id())
                .setRequestId(client.newRequestId())
                .build(),
            Patience.endless(2000, 50),
            answer -> false,
            new RetriedRequest.Ending<CloseSessionResponse>() {
              @Override
              public void answered(CloseSessionResponse answer) {
                client.after(random.nextInt(1000), ClientSession.this::start);
              }

              @Override
              public void failed(CallFailure failure, boolean none) {
                client.after(random.nextInt(1000), ClientSession.this::start);
              }
            })
        .start();
  }
}
