package dev.plinth.simulation.workload.registry;

import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.registry.v1.CloseSessionRequest;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.simulation.workload.CallFailure;
import dev.plinth.simulation.workload.Patience;
import dev.plinth.simulation.workload.RetriedRequest;
import dev.plinth.simulation.workload.WireClient;
import io.grpc.MethodDescriptor;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * A process with one session after the other. In each it registers members, changes and ends them,
 * then says goodbye or falls silent. It comes back with what is long over.
 */
final class MemberClient {
  static final String NAMESPACE = "members";

  private final WireClient client;
  private final MemberOptions options;
  private final MemberChecks checks;
  private final MemberCaller caller;
  private final SplittableRandom random;
  private Optional<MemberSessionClient> session = Optional.empty();
  private boolean silent;
  private int underWay;

  MemberClient(WireClient client, MemberOptions options, MemberChecks checks) {
    this.client = client;
    this.options = options;
    this.checks = checks;
    this.caller = new MemberCaller(client, this, checks);
    this.random = client.random();
  }

  void start() {
    client.after(random.nextInt(1, 100), this::open);
  }

  private void open() {
    if (client.log().isOver()) {
      return;
    }
    OpenSessionRequest request =
        OpenSessionRequest.newBuilder()
            .setNamespace(NAMESPACE)
            .setClient(client.name())
            .setTtl(Durations.fromMillis(options.ttlMillis()))
            .setRequestId(client.newRequestId())
            .build();
    long asked = client.now();
    send(
        RegistryServiceGrpc.getOpenSessionMethod(),
        request,
        answer -> {
          MemberSessionClient next =
              new MemberSessionClient(
                  client, checks, answer, asked, options.leastTtlNanos(), this::lost);
          session = Optional.of(next);
          if (silent) {
            next.end();
          } else {
            next.start();
            turn(next);
          }
        },
        failure -> client.after(1000, this::open));
  }

  private void lost() {
    session = Optional.empty();
    client.after(random.nextInt(1, 1000), this::open);
  }

  /** After the end of a call in a session. */
  void next(MemberSessionClient in) {
    if (!in.isOver() && !client.log().isOver()) {
      client.after(random.nextInt(1, 500), () -> turn(in));
    }
  }

  private void turn(MemberSessionClient in) {
    if (in.isOver() || client.log().isOver()) {
      return;
    }
    if (random.nextInt(25) == 0) {
      end(in);
    } else {
      caller.call(in);
    }
  }

  private void end(MemberSessionClient in) {
    in.end();
    session = Optional.empty();
    if (random.nextBoolean()) {
      client.trace("session " + in.id() + " falls silent");
      client.after(random.nextInt(1, 3000), this::open);
      return;
    }
    CloseSessionRequest request =
        CloseSessionRequest.newBuilder()
            .setNamespace(NAMESPACE)
            .setSessionId(in.id())
            .setIncarnation(in.incarnation())
            .setRequestId(client.newRequestId())
            .build();
    send(
        RegistryServiceGrpc.getCloseSessionMethod(),
        request,
        answer -> {
          in.members().values().forEach(each -> checks.ended(each, client.now()));
          caller.closed(in);
          client.after(random.nextInt(1, 1000), this::open);
        },
        failure -> client.after(1000, this::open));
  }

  /** Whether no call is under way, but for beats. */
  boolean isSettled() {
    return underWay == 0;
  }

  /** No more beats, for good. */
  void fallSilent() {
    silent = true;
    session.ifPresent(MemberSessionClient::end);
  }

  <Q extends Message, A extends Message> void send(
      MethodDescriptor<Q, A> method,
      Q request,
      Consumer<A> answered,
      Consumer<CallFailure> failed) {
    client.log().count("operations");
    underWay++;
    long attempt = random.nextInt(5) == 0 ? random.nextLong(5, 200) : random.nextLong(500, 5000);
    new RetriedRequest<>(
            client,
            method,
            request,
            Patience.endless(attempt, random.nextLong(100)),
            answer -> false,
            RetriedRequest.Ending.of(
                answer -> {
                  underWay--;
                  client.log().count(method.getBareMethodName());
                  answered.accept(answer);
                },
                (failure, none) -> {
                  underWay--;
                  failed.accept(failure);
                }))
        .start();
  }
}
