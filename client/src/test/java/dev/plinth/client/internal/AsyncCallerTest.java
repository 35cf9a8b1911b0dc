package dev.plinth.client.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import dev.plinth.client.TestMachine;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.ManualClock;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Words are answered by themselves, but for one that is too late when the test says so. */
class AsyncCallerTest {
  private static final String LATE = "late";
  private static final Duration STEP = Duration.ofMillis(20);

  private final ManualClock clock = new ManualClock();
  private final List<StreamObserver<StringValue>> waiting = new CopyOnWriteArrayList<>();
  private Server server;
  private Counted channel;
  private AsyncCaller asyncCaller;

  @BeforeEach
  void start() throws Exception {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(new EchoService(this::echo).endpoints().get(0))
            .build()
            .start();
    channel = new Counted(InProcessChannelBuilder.forName(name).directExecutor().build());
    ClientEventLoop loop = new ClientEventLoop(clock.scheduler());
    asyncCaller =
        new AsyncCaller(
            channel,
            new ClientEnvironment(
                TestMachine.of(clock), loop, Runnable::run, null, ClientEvents.NONE));
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  @Test
  void connectionOnWhichNothingComes_isGivenUp_onceForAllThatWaited() {
    clock.advance(STEP);
    List<CompletableFuture<StringValue>> calls = List.of(send(LATE), send(LATE));
    clock.advance(STEP);
    calls.forEach(this::endsLate);
    assertEquals(1, channel.givenUp);
    clock.advance(STEP);
    CompletableFuture<StringValue> later = send(LATE);
    clock.advance(STEP);
    endsLate(later);
    assertEquals(2, channel.givenUp);
  }

  @Test
  void connectionOnWhichOthersAreAnswered_isKept() {
    clock.advance(STEP);
    CompletableFuture<StringValue> slow = send(LATE);
    clock.advance(STEP);
    ended(send("hello"));
    endsLate(slow);
    assertEquals(0, channel.givenUp);
  }

  @Test
  void callOfTheClientsOwn_doesNotEndWithTheOneThatWasBeingHandled() {
    Context.CancellableContext handling = Context.current().withCancellation();
    handling.cancel(null);
    CompletableFuture<CompletableFuture<StringValue>> sent = new CompletableFuture<>();
    handling.run(() -> sent.complete(send("hello")));
    ended(sent.join());
    assertEquals("hello", sent.join().join().getValue());
  }

  private CompletableFuture<StringValue> send(String word) {
    return asyncCaller.send(EchoService.SAY, StringValue.of(word), Duration.ofMinutes(1));
  }

  private void endsLate(CompletableFuture<StringValue> call) {
    Await.until("it is there", () -> !waiting.isEmpty());
    waiting.remove(0).onError(Status.DEADLINE_EXCEEDED.asRuntimeException());
    ended(call);
    assertTrue(call.isCompletedExceptionally());
  }

  private void ended(CompletableFuture<?> call) {
    Await.until(
        "its end",
        () -> {
          clock.runDue();
          return call.isDone();
        });
  }

  private void echo(StringValue word, StreamObserver<StringValue> to) {
    if (word.getValue().equals(LATE)) {
      waiting.add(to);
    } else {
      to.onNext(word);
      to.onCompleted();
    }
  }

  /** Counts how often its connection is given up. */
  private static final class Counted extends ManagedChannel {
    private final ManagedChannel channel;
    private int givenUp;

    Counted(ManagedChannel channel) {
      this.channel = channel;
    }

    @Override
    public void enterIdle() {
      givenUp++;
    }

    @Override
    public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
      return channel.newCall(method, options);
    }

    @Override
    public String authority() {
      return channel.authority();
    }

    @Override
    public ManagedChannel shutdown() {
      return channel.shutdown();
    }

    @Override
    public boolean isShutdown() {
      return channel.isShutdown();
    }

    @Override
    public boolean isTerminated() {
      return channel.isTerminated();
    }

    @Override
    public ManagedChannel shutdownNow() {
      return channel.shutdownNow();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
      return channel.awaitTermination(timeout, unit);
    }
  }
}
