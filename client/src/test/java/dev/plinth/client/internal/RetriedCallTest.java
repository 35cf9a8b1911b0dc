package dev.plinth.client.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import dev.plinth.client.CallFailedException;
import dev.plinth.client.TestMachine;
import dev.plinth.testkit.Await;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On a manual clock: an attempt is made when its delay is over, and not before. */
class RetriedCallTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration ATTEMPT = Duration.ofMinutes(1);

  private final ManualClock clock = new ManualClock();
  private final Queue<StatusRuntimeException> failures = new ConcurrentLinkedQueue<>();
  private final List<String> received = new CopyOnWriteArrayList<>();
  private final AtomicInteger broken = new AtomicInteger();
  private Server server;
  private ManagedChannel channel;
  private ClientEnvironment environment;
  private AsyncCaller caller;

  @BeforeEach
  void start() throws Exception {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(new EchoService(this::answer).endpoints().get(0))
            .build()
            .start();
    channel =
        InProcessChannelBuilder.forName(name).directExecutor().intercept(new Breaking()).build();
    environment =
        new ClientEnvironment(
            TestMachine.of(clock),
            new ClientEventLoop(clock.scheduler()),
            Runnable::run,
            new RetrySchedule(new Random(1)),
            ClientEvents.NONE);
    caller = new AsyncCaller(channel, environment);
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  @Test
  void everyAttempt_carriesTheSameRequest_andWaitsItsDelay() {
    failWith(Code.UNAVAILABLE, 2);
    CompletableFuture<StringValue> answer = call().send();
    attempts(1);
    clock.advance(Duration.ofMillis(999));
    assertEquals(1, received.size());
    clock.advance(Duration.ofMillis(1));
    attempts(2);
    clock.advance(SECOND);
    attempts(3);
    assertEquals("id-1", answer.join().getValue());
    assertEquals(Collections.nCopies(3, "id-1"), received);
  }

  @Test
  void timeout_boundsAllAttempts() {
    failWith(Code.UNAVAILABLE, 100);
    CompletableFuture<StringValue> answer = call().timeout(Duration.ofMillis(3500)).send();
    for (int attempt = 1; attempt <= 4; attempt++) {
      attempts(attempt);
      clock.advance(SECOND);
    }
    assertEquals(Code.UNAVAILABLE, failure(answer).code());
    clock.advance(Duration.ofHours(1));
    assertEquals(4, received.size());
  }

  @ParameterizedTest
  @EnumSource(value = Code.class, names = "OK", mode = EnumSource.Mode.EXCLUDE)
  void status_isRetried_asTheScheduleSays(Code code) {
    failures.add(Failures.plain(code));
    CompletableFuture<StringValue> answer = call().send();
    attempts(1);
    clock.advance(RetrySchedule.MAX_BACKOFF);
    switch (code) {
      case UNAVAILABLE, DEADLINE_EXCEEDED, UNKNOWN -> assertEquals("id-1", ended(answer));
      default -> assertEquals(code, failure(answer).code());
    }
  }

  @ParameterizedTest
  @EnumSource(value = Code.class, names = "OK", mode = EnumSource.Mode.EXCLUDE)
  void everyStatus_isRetried_withinTheDelay_whereThatIsAskedFor(Code code) {
    failures.add(Failures.withRetryInfo(code, Duration.ofHours(1)));
    CompletableFuture<StringValue> answer = call().everyStatusWithin(SECOND).send();
    attempts(1);
    clock.advance(SECOND);
    assertEquals("id-1", ended(answer));
  }

  @Test
  void unwanted_isNotSent() {
    CompletableFuture<StringValue> answer = call().whileWanted(() -> false).send();
    assertTrue(answer.isCancelled());
    assertEquals(0, received.size());
  }

  @Test
  void noLongerWanted_duringTheDelay_isNotRetried() {
    failWith(Code.UNAVAILABLE, 9);
    AtomicInteger wanted = new AtomicInteger(1);
    CompletableFuture<StringValue> answer = call().whileWanted(() -> wanted.get() > 0).send();
    attempts(1);
    wanted.set(0);
    clock.advance(SECOND);
    assertTrue(answer.isCancelled());
    assertEquals(1, received.size());
  }

  @Test
  void cancelled_isNotRetried() {
    failWith(Code.UNAVAILABLE, 9);
    CompletableFuture<StringValue> answer = call().send();
    attempts(1);
    answer.cancel(false);
    clock.advance(Duration.ofHours(1));
    assertEquals(1, received.size());
  }

  @Test
  void hooks_seeEachAttempt_andEachFailure() {
    failWith(Code.UNAVAILABLE, 2);
    List<String> seen = new ArrayList<>();
    CompletableFuture<StringValue> answer =
        call()
            .onAttempt(() -> seen.add("sent"))
            .onFailure(failure -> seen.add(failure.code().name()))
            .send();
    for (int attempt = 1; attempt <= 3; attempt++) {
      attempts(attempt);
      clock.advance(SECOND);
    }
    ended(answer);
    assertEquals(List.of("sent", "UNAVAILABLE", "sent", "UNAVAILABLE", "sent"), seen);
  }

  @Test
  void interceptorThatThrows_isRetriedLikeAnyFailure() {
    broken.set(2);
    CompletableFuture<StringValue> answer = call().send();
    clock.advance(RetrySchedule.MAX_BACKOFF);
    clock.advance(RetrySchedule.MAX_BACKOFF);
    assertEquals("id-1", ended(answer));
  }

  @Test
  void channelThatDies_endsWithTheTimeout() {
    failWith(Code.UNAVAILABLE, 1);
    CompletableFuture<StringValue> answer = call().timeout(Duration.ofSeconds(20)).send();
    attempts(1);
    channel.shutdownNow();
    for (int i = 0; i < 30 && !answer.isDone(); i++) {
      clock.advance(SECOND);
    }
    assertEquals(Code.UNAVAILABLE, failure(answer).code());
    assertEquals(1, received.size());
  }

  @Test
  void closedLoop_makesNoFurtherAttempt() {
    failWith(Code.UNAVAILABLE, 9);
    CompletableFuture<StringValue> answer = call().send();
    attempts(1);
    clock.scheduler().shutdownNow();
    clock.advance(Duration.ofHours(1));
    assertEquals(1, received.size());
    assertFalse(answer.isDone());
  }

  private RetriedCall<StringValue, StringValue> call() {
    return new RetriedCall<>(caller, environment, EchoService.SAY, StringValue.of("id-1"), ATTEMPT);
  }

  private void failWith(Code code, int times) {
    failures.addAll(Collections.nCopies(times, Failures.withRetryInfo(code, SECOND)));
  }

  private void answer(StringValue request, StreamObserver<StringValue> to) {
    received.add(request.getValue());
    StatusRuntimeException failure = failures.poll();
    if (failure == null) {
      to.onNext(request);
      to.onCompleted();
    } else {
      to.onError(failure);
    }
  }

  /** Until so many were made and their answers are handled. */
  private void attempts(int count) {
    Await.until(
        count + " attempts",
        () -> {
          clock.runDue();
          return received.size() >= count;
        });
    clock.runDue();
    assertEquals(count, received.size());
  }

  private String ended(CompletableFuture<StringValue> answer) {
    Await.until(
        "its end",
        () -> {
          clock.runDue();
          return answer.isDone();
        });
    return answer.join().getValue();
  }

  private CallFailedException failure(CompletableFuture<StringValue> answer) {
    CompletionException thrown = assertThrows(CompletionException.class, () -> ended(answer));
    return (CallFailedException) thrown.getCause();
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
}
