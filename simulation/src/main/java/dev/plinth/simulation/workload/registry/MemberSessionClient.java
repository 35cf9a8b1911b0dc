package dev.plinth.simulation.workload.registry;

import com.google.protobuf.util.Durations;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.simulation.workload.CallFailure;
import dev.plinth.simulation.workload.Patience;
import dev.plinth.simulation.workload.RetriedRequest;
import dev.plinth.simulation.workload.WireClient;
import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * One session of a process, from its opening until it is closed, forgotten or lost, and its beats:
 * by calls, or by a stream.
 */
final class MemberSessionClient {
  private final WireClient client;
  private final MemberChecks checks;
  private final OpenSessionResponse opened;
  private final Duration ttl;
  private final long leastNanos;
  private final boolean streams;
  private final Runnable onLost;
  private final Map<String, Long> members = new TreeMap<>();
  private long keptFrom;
  private boolean punctual = true;
  private boolean over;

  /**
   * @param asked when it was asked for, from which it lives at least
   * @param leastNanos what a ttl is at least, by whatever clock
   */
  MemberSessionClient(
      WireClient client,
      MemberChecks checks,
      OpenSessionResponse opened,
      long asked,
      long leastNanos,
      Runnable onLost) {
    this.client = client;
    this.checks = checks;
    this.opened = opened;
    this.ttl = Duration.ofMillis(Durations.toMillis(opened.getTtl()));
    this.leastNanos = leastNanos;
    this.keptFrom = asked;
    this.onLost = onLost;
    this.streams = client.random().nextInt(3) == 0;
  }

  String id() {
    return opened.getSessionId();
  }

  long incarnation() {
    return opened.getIncarnation();
  }

  /** Incarnations of its members as far as it knows, by name. */
  Map<String, Long> members() {
    return members;
  }

  boolean isOver() {
    return over;
  }

  void start() {
    if (streams) {
      punctual = false; // a stream that breaks makes it SUSPECT at once
      new BeatStream(client, this).open();
    } else {
      beat();
    }
  }

  private void beat() {
    if (over) {
      return;
    }
    long asked = client.now();
    client.log().count("beats");
    new RetriedRequest<>(
            client,
            RegistryServiceGrpc.getBeatMethod(),
            request(),
            Patience.endless(Math.max(50, ttl.toMillis() / 4), 10),
            answer -> false,
            RetriedRequest.Ending.<BeatResponse>of(
                answer -> {
                  heard(asked);
                  later(this::beat);
                },
                (failure, none) -> lost(failure)))
        .start();
  }

  BeatRequest request() {
    return BeatRequest.newBuilder()
        .setNamespace(MemberClient.NAMESPACE)
        .setSessionId(id())
        .setIncarnation(incarnation())
        .build();
  }

  void later(Runnable step) {
    client.after(ttl.toMillis() / 3, step);
  }

  /** A beat that was sent then is answered. */
  void heard(long asked) {
    punctual &= client.now() - keptFrom < leastNanos;
    keptFrom = Math.max(keptFrom, asked);
  }

  /** It is not open any more, though nobody closed it. */
  void lost(CallFailure failure) {
    if (over) {
      return;
    }
    long silent = client.now() - keptFrom;
    client.trace("session " + id() + " lost after " + silent / 1_000_000 + " ms: " + failure);
    if (failure.code() != Status.Code.NOT_FOUND) {
      client.log().violation("a beat ended with " + failure);
    } else if (silent < leastNanos) {
      client
          .log()
          .violation(
              "session %s died %d ms after a beat that was answered"
                  .formatted(id(), silent / 1_000_000));
    }
    client.log().count("sessions lost");
    end();
    onLost.run();
  }

  /** No beat follows. */
  void end() {
    if (!over && punctual && client.now() - keptFrom < leastNanos) {
      checks.punctual(id(), client.now());
    }
    over = true;
  }
}
