package dev.plinth.client.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import dev.plinth.client.CallFailedException;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.machine.Machine;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.ManualClock;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pauses move a manual clock; nothing sleeps. */
class BlockingCallerTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualClock clock = new ManualClock();
  private final Queue<StatusRuntimeException> failures = new ArrayDeque<>();
  private final List<String> received = new ArrayList<>();
  private final List<Duration> pauses = new ArrayList<>();
  private final AtomicInteger broken = new AtomicInteger();
  private boolean closed;
  private Server server;
  private ManagedChannel channel;
  private BlockingCaller blockingCaller;

  @BeforeEach
  void start() throws Exception {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .addService(new EchoService(this::answer).endpoints().get(0))
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).intercept(new Breaking()).build();
    blockingCaller =
        new BlockingCaller(
            Machine.system(),
            channel,
            Duration.ofSeconds(2),
            new RetrySchedule(new Random(1)),
            this::pause);
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private void answer(StringValue request, StreamObserver<StringValue> to) {
    received.add(request.getValue());
    if (failures.isEmpty()) {
      to.onNext(request);
      to.onCompleted();
    } else {
      to.onError(failures.remove());
    }
  }

  private boolean pause(Duration time) {
    pauses.add(time);
    clock.advance(time);
    return !closed;
  }

  @Test
  void unavailable_isSentAgain_withTheSameContent() throws Exception {
    failures.add(Failures.plain(Code.UNAVAILABLE));
    failures.add(Failures.withRetryInfo(Code.UNAVAILABLE, SECOND));
    assertEquals("id-1", call(Duration.ofSeconds(10)));
    assertEquals(List.of("id-1", "id-1", "id-1"), received);
    assertEquals(SECOND, pauses.get(1));
  }

  @Test
  void refusal_isNotSentAgain_andCarriesItsReason() {
    failures.add(Failures.sessionExpired());
    CallFailedException failed =
        assertThrows(CallFailedException.class, () -> call(Duration.ofSeconds(10)));
    assertEquals(Code.FAILED_PRECONDITION, failed.code());
    assertEquals(ErrorReason.ERROR_REASON_SESSION_EXPIRED, failed.reason());
    assertEquals(1, received.size());
  }

  @Test
  void refusalOfALaterAttempt_doesNotSayThatNoneWasApplied() {
    failures.add(Failures.plain(Code.UNAVAILABLE));
    failures.add(Failures.plain(Code.RESOURCE_EXHAUSTED));
    CallFailedException failed =
        assertThrows(CallFailedException.class, () -> call(Duration.ofSeconds(10)));
    assertEquals(Code.RESOURCE_EXHAUSTED, failed.code());
    assertTrue(failed.mayHaveApplied());
    failures.add(Failures.plain(Code.RESOURCE_EXHAUSTED));
    CallFailedException only =
        assertThrows(CallFailedException.class, () -> call(Duration.ofSeconds(10)));
    assertFalse(only.mayHaveApplied());
  }

  @Test
  void refusalOfALaterTurn_doesNotSayThatNoneWasApplied() {
    failures.add(Failures.plain(Code.DEADLINE_EXCEEDED));
    failures.add(Failures.plain(Code.RESOURCE_EXHAUSTED));
    OperationDeadline wait = new OperationDeadline(Duration.ofMinutes(5), clock.nanos());
    CallFailedException failed =
        assertThrows(
            CallFailedException.class,
            () ->
                blockingCaller.callWithLongPoll(
                    EchoService.SAY, left -> StringValue.of("id-1"), wait));
    assertTrue(failed.mayHaveApplied());
  }

  @Test
  void attempts_endWithTheCallersTime() {
    for (int i = 0; i < 100; i++) {
      failures.add(Failures.withRetryInfo(Code.UNAVAILABLE, SECOND));
    }
    CallFailedException failed =
        assertThrows(CallFailedException.class, () -> call(Duration.ofMillis(3500)));
    assertEquals(Code.UNAVAILABLE, failed.code());
    assertEquals(4, received.size());
  }

  @Test
  void turnThatEnds_goesOnAtOnce_soThatThePlaceInLineIsKept() throws Exception {
    for (int i = 0; i < 20; i++) {
      failures.add(Failures.plain(Code.DEADLINE_EXCEEDED));
    }
    OperationDeadline wait = new OperationDeadline(Duration.ofMinutes(5), clock.nanos());
    assertEquals(
        "id-1",
        blockingCaller
            .callWithLongPoll(EchoService.SAY, left -> StringValue.of("id-1"), wait)
            .getValue());
    assertEquals(21, received.size());
    assertEquals(List.of(), pauses);
  }

  @Test
  void turnThatIsCutOffAsTheWaitEnds_isFollowedByOneMore_forTheAnswer() throws Exception {
    OperationDeadline wait = new OperationDeadline(SECOND, clock.nanos());
    clock.advance(SECOND);
    failures.add(Code.DEADLINE_EXCEEDED.toStatus().asRuntimeException());
    Function<Duration, StringValue> request = left -> StringValue.of("id-1 for " + left);
    assertEquals(
        request.apply(Duration.ZERO),
        blockingCaller.callWithLongPoll(EchoService.SAY, request, wait));
    failures.add(Code.DEADLINE_EXCEEDED.toStatus().asRuntimeException());
    failures.add(Code.DEADLINE_EXCEEDED.toStatus().asRuntimeException());
    assertThrows(
        CallFailedException.class,
        () -> blockingCaller.callWithLongPoll(EchoService.SAY, request, wait));
    assertEquals(4, received.size());
  }

  @Test
  void closedClient_makesNoFurtherAttempt() {
    failures.add(Failures.plain(Code.UNAVAILABLE));
    closed = true;
    CallFailedException failed =
        assertThrows(CallFailedException.class, () -> call(Duration.ofSeconds(10)));
    assertEquals(Code.UNAVAILABLE, failed.code());
    assertEquals(1, received.size());
  }

  @Test
  void interrupt_endsTheCall() {
    failures.add(Failures.plain(Code.UNAVAILABLE));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> call(Duration.ofSeconds(10)));
    assertTrue(!Thread.currentThread().isInterrupted());
  }

  @Test
  void interceptorThatThrows_isRetriedLikeAnyFailure() throws Exception {
    broken.set(2);
    assertEquals("id-1", call(Duration.ofSeconds(10)));
    assertEquals(2, pauses.size());
  }

  /** Throws where a call is made, as long as it is told to. */
  private final class Breaking implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      if (broken.getAndDecrement() > 0) {
        throw new IllegalArgumentException("not today");
      }
      return next.newCall(method, options);
    }
  }

  private String call(Duration budget) throws InterruptedException {
    return blockingCaller
        .call(EchoService.SAY, StringValue.of("id-1"), new OperationDeadline(budget, clock.nanos()))
        .getValue();
  }
}
