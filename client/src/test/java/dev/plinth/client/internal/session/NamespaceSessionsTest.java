package dev.plinth.client.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.client.LeaseState;
import dev.plinth.client.TestMachine;
import dev.plinth.client.internal.BlockingCaller;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientEventLoop;
import dev.plinth.client.internal.ClientEvents;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.Failures;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceImplBase;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.machine.Machine;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.ManualClock;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status.Code;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a manual clock that a pause between two attempts moves by 4 s. */
class NamespaceSessionsTest {
  private static final Duration TTL = Duration.ofSeconds(10);

  private final ManualClock clock = new ManualClock();
  private final List<OpenSessionRequest> opened = Collections.synchronizedList(new ArrayList<>());
  private CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
  private int failFirst;
  private Server server;
  private ManagedChannel channel;
  private NamespaceSessions sessions;

  @BeforeEach
  void start() throws Exception {
    String name = InProcessServerBuilder.generateName();
    server = InProcessServerBuilder.forName(name).addService(new Opener()).build().start();
    channel = InProcessChannelBuilder.forName(name).build();
    Machine machine = TestMachine.of(clock);
    RetrySchedule rule = new RetrySchedule(new Random(1));
    BlockingCaller blockingCaller =
        new BlockingCaller(machine, channel, TTL, rule, time -> pause());
    ClientEventLoop thread = new ClientEventLoop(clock.scheduler());
    ClientEnvironment environment =
        new ClientEnvironment(machine, thread, Runnable::run, rule, ClientEvents.NONE);
    ClientRuntime runtime =
        new ClientRuntime(
            "ann", channel, blockingCaller, environment, TTL, Runnable::run, Optional.empty());
    sessions =
        new NamespaceSessions(
            runtime, OpenSessionRequest.newBuilder().setOwnerId(runtime.owner()).build());
  }

  private boolean pause() {
    clock.advance(Duration.ofSeconds(4));
    return true;
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  @Test
  void openingSentTwice_countsFromTheFirst_withOneRequestId() throws Exception {
    failFirst = 1;
    ClientSession session = current("a");
    assertEquals(Duration.ofSeconds(9 - 4), session.remaining());
    assertEquals(2, opened.size());
    assertEquals(opened.get(0), opened.get(1));
  }

  @Test
  void namespace_hasOneSession_untilItIsLost() throws Exception {
    ClientSession first = current("a");
    assertSame(first, current("a"));
    assertNotSame(first, current("b"));
    clock.advance(Duration.ofSeconds(9));
    assertNotSame(first, current("a"));
    assertEquals(LeaseState.LOST, first.state());
    assertEquals(LeaseState.SAFE, current("a").state());
  }

  /** The others wait without a monitor, so that they can be interrupted. */
  @Test
  void sessionThatIsBeingOpened_isWaitedFor() throws Exception {
    answer = new CompletableFuture<>();
    CompletableFuture<ClientSession> opener = inAThread();
    Await.until("the request is there", () -> opened.size() == 1);
    CompletableFuture<ClientSession> waiter = inAThread();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> current("a"));
    assertFalse(waiter.isDone());
    answer.complete(null);
    assertSame(opener.get(30, TimeUnit.SECONDS), waiter.get(30, TimeUnit.SECONDS));
    assertEquals(1, opened.size());
  }

  private CompletableFuture<ClientSession> inAThread() {
    CompletableFuture<ClientSession> session = new CompletableFuture<>();
    Executor threads = Machine.system().workers("callers");
    threads.execute(
        () -> {
          try {
            session.complete(current("a"));
          } catch (InterruptedException e) {
            session.completeExceptionally(e);
          }
        });
    return session;
  }

  private ClientSession current(String namespace) throws InterruptedException {
    return sessions.current(namespace, new OperationDeadline(Duration.ofMinutes(1), clock.nanos()));
  }

  private final class Opener extends LeaseServiceImplBase {
    @Override
    public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
      opened.add(request);
      answer.join();
      if (opened.size() <= failFirst) {
        to.onError(Failures.plain(Code.UNAVAILABLE));
        return;
      }
      to.onNext(
          OpenSessionResponse.newBuilder()
              .setSessionId("s" + opened.size())
              .setTtl(ClientWire.duration(TTL))
              .build());
      to.onCompleted();
    }
  }
}
