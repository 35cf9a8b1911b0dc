package dev.plinth.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import dev.plinth.testkit.ManualClock;
import dev.plinth.testkit.RoundRobinChannel;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.StreamObserver;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DrainTest {
  private static final int CALLERS = 8;

  private final ScheduledExecutorService answers = Executors.newSingleThreadScheduledExecutor();
  private final Metrics metrics = new Metrics();

  @AfterEach
  void stop() {
    answers.shutdownNow();
    metrics.close();
  }

  @Test
  void close_underLoad_failsNoCall() throws Exception {
    GrpcHost leaving = start(slowEcho(), "--drain.pause=300ms");
    GrpcHost staying = start(slowEcho());
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    AtomicInteger answered = new AtomicInteger();
    CountDownLatch ended = new CountDownLatch(CALLERS);
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try (RoundRobinChannel target = RoundRobinChannel.of(leaving.port(), staying.port())) {
      ManagedChannel channel = target.channel();
      AtomicInteger enough = new AtomicInteger(Integer.MAX_VALUE);
      for (int i = 0; i < CALLERS; i++) {
        callers.execute(
            () -> {
              try {
                while (answered.get() < enough.get()) {
                  EchoService.say(channel, "x");
                  answered.incrementAndGet();
                }
              } catch (StatusRuntimeException e) {
                failures.add(e);
              } finally {
                ended.countDown();
              }
            });
      }
      Await.until("both are under load", () -> answered.get() > 200);
      leaving.close();
      enough.set(answered.get() + 200);
      assertTrue(ended.await(30, TimeUnit.SECONDS));
      assertEquals(List.of(), List.copyOf(failures));
    } finally {
      callers.shutdownNow();
      leaving.close();
      staying.close();
    }
  }

  @Test
  void close_letsRunningCallsEnd_thenClosesTheService() throws Exception {
    CompletableFuture<StreamObserver<StringValue>> running = new CompletableFuture<>();
    EchoService echo = new EchoService((request, answer) -> running.complete(answer));
    GrpcHost host = start(echo);
    ManagedChannel channel = channel(host);
    try {
      CompletableFuture<String> call =
          CompletableFuture.supplyAsync(() -> EchoService.say(channel, "x"));
      StreamObserver<StringValue> answer = running.get(10, TimeUnit.SECONDS);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(host::close);
      Await.until("new calls are refused", () -> isRefused(host));
      assertFalse(echo.isClosed());
      answer.onNext(StringValue.of("done"));
      answer.onCompleted();
      assertEquals("done", call.get(10, TimeUnit.SECONDS));
      closing.get(10, TimeUnit.SECONDS);
      assertTrue(echo.isClosed());
    } finally {
      channel.shutdownNow();
      host.close();
    }
  }

  @Test
  void close_cutsOffCallsThatOutliveTheGrace() {
    GrpcHost host = start(new EchoService((request, answer) -> {}), "--drain.grace=50ms");
    ManagedChannel channel = channel(host);
    try {
      CompletableFuture<String> call =
          CompletableFuture.supplyAsync(() -> EchoService.say(channel, "x"));
      Await.until("the call is on its way", () -> health(channel) == ServingStatus.SERVING);
      host.close();
      assertThrows(Exception.class, () -> call.get(10, TimeUnit.SECONDS));
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void pause_isNotLeftOut_becauseOfProbesThatOnlyConnect() throws Exception {
    GrpcHost host = start(EchoService.plain(), "--drain.pause=1m");
    for (int i = 0; i < 3; i++) {
      new Socket("127.0.0.1", host.port()).close();
    }
    Await.until(
        "they are gone", () -> metrics.registry().get("plinth.connections").gauge().value() == 0);
    assertPauses(host);
  }

  @Test
  void pause_saysNotServing_whileCallsAreStillAnswered() throws Exception {
    assertPauses(start(EchoService.plain(), "--drain.pause=1m"));
  }

  private static void assertPauses(GrpcHost host) throws InterruptedException {
    ManagedChannel channel = channel(host);
    Thread closing = new Thread(host::close);
    try {
      assertEquals(ServingStatus.SERVING, health(channel));
      closing.start();
      Await.until("health tells", () -> health(channel) == ServingStatus.NOT_SERVING);
      assertEquals("hello", EchoService.say(channel, "hello"));
    } finally {
      closing.interrupt();
      closing.join();
      channel.shutdownNow();
    }
  }

  @Test
  void close_leavesToOtherNodes_whileCallsAreStillAnswered() throws Exception {
    CompletableFuture<Void> leaving = new CompletableFuture<>();
    CompletableFuture<Void> left = new CompletableFuture<>();
    CallRouter router =
        new LeavingRouter(
            atMost -> {
              leaving.complete(null);
              left.join();
            });
    GrpcHost host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics)
            .router(router)
            .add(EchoService.plain())
            .start();
    ManagedChannel channel = channel(host);
    try {
      CompletableFuture<Void> closing = CompletableFuture.runAsync(host::close);
      leaving.get(10, TimeUnit.SECONDS);
      assertEquals(ServingStatus.NOT_SERVING, health(channel));
      assertEquals("hello", EchoService.say(channel, "hello"));
      left.complete(null);
      closing.get(10, TimeUnit.SECONDS);
    } finally {
      left.complete(null);
      channel.shutdownNow();
      host.close();
    }
  }

  @Test
  void close_ofSixServices_whosePeersDoNotAnswer_endsWithinItsBudget() {
    ManualClock clock = new ManualClock();
    Instant start = clock.instant();
    HostSettings settings = InProcessHost.hostSettings();
    // No peer answers, so whoever leaves waits for as long as it may.
    GrpcHost.Builder building =
        GrpcHost.builder(settings, metrics).router(new LeavingRouter(clock::advance));
    for (int i = 0; i < 6; i++) {
      building.add(EchoService.named("test.Echo" + i));
    }
    building.start().close();
    Duration spent =
        Duration.between(start, clock.instant())
            .plus(settings.drain().pause())
            .plus(settings.drain().grace());
    Duration budget = settings.drain().atMost();
    assertTrue(spent.compareTo(budget) < 0, spent + " of " + budget);
  }

  /** Routes nothing, and leaves as the test says. */
  private record LeavingRouter(Consumer<Duration> leaving) implements CallRouter {
    @Override
    public ServerServiceDefinition route(
        ServerServiceDefinition service,
        Function<MethodDescriptor<?, ?>, Optional<CallDeclaration>> declared) {
      return service;
    }

    @Override
    public void leave(Duration atMost) {
      leaving.accept(atMost);
    }
  }

  /** A call that still gets in is not answered by this service, so it must not wait long. */
  private static boolean isRefused(GrpcHost host) {
    ManagedChannel channel = channel(host);
    try {
      CallOptions brief = CallOptions.DEFAULT.withDeadlineAfter(500, TimeUnit.MILLISECONDS);
      EchoService.say(channel, brief, "late");
      return false;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode() == Status.Code.UNAVAILABLE;
    } finally {
      channel.shutdownNow();
    }
  }

  private GrpcHost start(EchoService echo, String... flags) {
    return GrpcHost.builder(InProcessHost.hostSettings(flags), metrics).add(echo).start();
  }

  /** Answers after a moment, so that there are always calls in flight. */
  private EchoService slowEcho() {
    return new EchoService(
        (request, answer) ->
            answers.schedule(
                () -> {
                  answer.onNext(request);
                  answer.onCompleted();
                },
                5,
                TimeUnit.MILLISECONDS));
  }

  private static ManagedChannel channel(GrpcHost host) {
    return ManagedChannelBuilder.forAddress("127.0.0.1", host.port()).usePlaintext().build();
  }

  private static ServingStatus health(ManagedChannel channel) {
    return HealthGrpc.newBlockingStub(channel)
        .check(HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }
}
