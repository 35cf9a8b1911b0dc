package dev.plinth.client.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.LeaseState;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.ResourceExhaustedException;
import dev.plinth.client.TestMachine;
import dev.plinth.client.TokenWentBackException;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceImplBase;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.ReleaseResponse;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.ManualClock;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server of one key, whose answers may take longer than a session lives. */
class LeaseAcquirerTest {
  private static final Duration TTL = Duration.ofSeconds(10);

  private final ManualClock clock = new ManualClock();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private Duration openingTakes = Duration.ZERO;
  private Duration grantTakes = Duration.ZERO;
  private volatile long held;
  private volatile long tokens;
  private boolean beatsAreAnswered;
  private boolean losesFirst;
  private boolean isOverloaded;
  private Server server;
  private ManagedChannel channel;
  private LeaseClient leaseClient;

  @BeforeEach
  void start() throws Exception {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(new OneKey())
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).build();
    leaseClient =
        PlinthClient.builder(channel)
            .machine(TestMachine.of(clock))
            .callbacks(Runnable::run)
            .operationTimeout(Duration.ofMinutes(1))
            .build()
            .leases();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  @Test
  void sessionLostOnArrival_isNotAskedUnder() throws Exception {
    openingTakes = TTL;
    LeaseHandle lease = leaseClient.tryAcquire("printer").orElseThrow();
    assertEquals(LeaseState.SAFE, lease.state());
    assertEquals(List.of("open", "open", "acquire s2"), calls);
  }

  /** Else the client would meet its own ghost, and take it for another holder. */
  @Test
  void grantToASessionLostMeanwhile_isGivenBackBeforeItAsksAgain() throws Exception {
    grantTakes = TTL;
    LeaseHandle lease = leaseClient.tryAcquire("printer").orElseThrow();
    assertEquals(2, lease.requireHeld());
    assertEquals(List.of("open", "acquire s1", "release 1", "open", "acquire s2"), calls);
  }

  /** System.nanoTime stands still while a machine is suspended. */
  @Test
  void V15_tokenAfterASleepPastTheDeadline_isNotHandedOut_untilTheServerConfirms()
      throws Exception {
    beatsAreAnswered = true;
    LeaseHandle lease = leaseClient.tryAcquire("printer").orElseThrow();
    clock.stepWall(Duration.ofSeconds(5));
    assertEquals(LeaseState.JEOPARDY, lease.state());
    assertEquals(1, lease.requireHeld()); // by both clocks its time is not over
    clock.stepWall(Duration.ofSeconds(5));
    assertEquals(LeaseState.JEOPARDY, lease.state());
    assertThrows(LeaseLostException.class, lease::requireHeld);
    clock.runDue(); // the look at it made the client ask
    Await.until(
        "the answer came",
        () -> {
          clock.runDue();
          return lease.state() == LeaseState.SAFE;
        });
    assertEquals(1, lease.requireHeld());
  }

  /** The server's store was restored from an older backup. */
  @Test
  void grantUnderALowerToken_isRefused_andGivenBack() throws Exception {
    leaseClient.tryAcquire("printer").orElseThrow().close();
    leaseClient.tryAcquire("printer").orElseThrow().close();
    tokens = 0;
    TokenWentBackException thrown =
        assertThrows(TokenWentBackException.class, () -> leaseClient.tryAcquire("printer"));
    assertEquals(1, thrown.token());
    assertEquals(2, thrown.highest());
    Await.until(
        "it is given back",
        () -> {
          clock.runDue();
          return held == 0;
        });
    tokens = 2;
    assertEquals(3, leaseClient.tryAcquire("printer").orElseThrow().requireHeld());
  }

  /** The first attempt may be under way still, and be granted after another's answer. */
  @Test
  void refusalOfALaterAttempt_isSettledByACancel_andWhatWasGranted_isGivenBack() throws Exception {
    losesFirst = true;
    held = ++tokens;
    assertTrue(leaseClient.tryAcquire("printer").isEmpty());
    Await.until(
        "it is settled",
        () -> {
          clock.runDue();
          return held == 0;
        });
    assertEquals(
        List.of("open", "acquire s1", "acquire s1", "cancel s1", "release 1"), List.copyOf(calls));
  }

  /** The answer of the first attempt is lost, and the server too busy to give it again. */
  @Test
  void overloadMetByALaterAttempt_isSettledByACancel_andWhatWasGranted_isGivenBack() {
    losesFirst = true;
    isOverloaded = true;
    held = ++tokens;
    assertThrows(ResourceExhaustedException.class, () -> leaseClient.tryAcquire("printer"));
    Await.until(
        "it is settled",
        () -> {
          clock.runDue();
          return held == 0;
        });
    assertEquals(
        List.of("open", "acquire s1", "acquire s1", "cancel s1", "release 1"), List.copyOf(calls));
  }

  private final class OneKey extends LeaseServiceImplBase {
    private int sessions;

    @Override
    public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> to) {
      if (beatsAreAnswered) {
        answer(to, HeartbeatResponse.newBuilder().setTtl(ClientWire.duration(TTL)).build());
      }
    }

    @Override
    public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
      calls.add("open");
      clock.advance(openingTakes);
      openingTakes = Duration.ZERO;
      answer(
          to,
          OpenSessionResponse.newBuilder()
              .setSessionId("s" + ++sessions)
              .setTtl(ClientWire.duration(TTL))
              .build());
    }

    @Override
    public void acquire(AcquireRequest request, StreamObserver<AcquireResponse> to) {
      calls.add((request.getCancel() ? "cancel " : "acquire ") + request.getSessionId());
      if (losesFirst) {
        losesFirst = false;
        to.onError(Status.UNAVAILABLE.asRuntimeException());
        return;
      }
      if (isOverloaded) {
        isOverloaded = false;
        to.onError(Status.RESOURCE_EXHAUSTED.asRuntimeException());
        return;
      }
      if (held != 0 && !request.getCancel()) {
        answer(to, outcome(AcquireResponse.Outcome.OUTCOME_HELD).build());
        return;
      }
      held = request.getCancel() ? held : ++tokens;
      clock.advance(grantTakes);
      grantTakes = Duration.ZERO;
      Lease lease = Lease.newBuilder().setKey(request.getKey()).setToken(held).build();
      answer(to, outcome(AcquireResponse.Outcome.OUTCOME_GRANTED).setLease(lease).build());
    }

    private AcquireResponse.Builder outcome(AcquireResponse.Outcome outcome) {
      return AcquireResponse.newBuilder().setOutcome(outcome);
    }

    @Override
    public void release(ReleaseRequest request, StreamObserver<ReleaseResponse> to) {
      calls.add("release " + request.getToken());
      held = request.getToken() == held ? 0 : held;
      answer(to, ReleaseResponse.getDefaultInstance());
    }

    private <A> void answer(StreamObserver<A> to, A answer) {
      to.onNext(answer);
      to.onCompleted();
    }
  }
}
