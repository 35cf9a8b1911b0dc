package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.CloseSessionResponse;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceImplBase;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.machine.ForwardingMachine;
import dev.plinth.machine.Machine;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A client takes everything from its machine, so the same machine makes the same requests. */
class SeededMachineTest {
  private final List<String> threads = Collections.synchronizedList(new ArrayList<>());
  private final List<Deadline> deadlines = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger waits = new AtomicInteger();

  @Test
  void requests_areTheSame_withTheSameSeed() throws Exception {
    List<String> first = requests(7);
    assertEquals(first, requests(7));
    assertNotEquals(first, requests(8));
  }

  @Test
  void requestIds_areRandomUuids() throws Exception {
    UUID id = UUID.fromString(requests(7).get(1));
    assertEquals(4, id.version());
    assertEquals(2, id.variant());
  }

  @Test
  void threadsWaitsAndDeadlines_areTheMachines() throws Exception {
    requests(7);
    assertEquals(List.of("plinth-client-heart", "plinth-client-background"), threads);
    assertTrue(waits.get() >= 3, "waits: " + waits); // to open, to acquire, to close
    assertTrue(deadlines.size() >= 3, "calls: " + deadlines);
    // Deadlines of different tickers cannot be compared.
    Deadline later = Deadline.after(1, TimeUnit.HOURS, STANDING);
    deadlines.forEach(deadline -> assertTrue(deadline.isBefore(later)));
  }

  /** The owner, then the request ids. */
  private List<String> requests(long seed) throws Exception {
    threads.clear();
    Recorder recorder = new Recorder();
    String name = InProcessServerBuilder.generateName();
    Server server = InProcessServerBuilder.forName(name).addService(recorder).build().start();
    ManagedChannel channel =
        InProcessChannelBuilder.forName(name).intercept(new DeadlineReader()).build();
    try (PlinthClient client =
        PlinthClient.builder(channel).machine(new SeededMachine(seed)).build()) {
      client.leases().tryAcquire("printer");
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
    return List.copyOf(recorder.seen);
  }

  private final class SeededMachine extends ForwardingMachine {
    private final Random random;

    SeededMachine(long seed) {
      super(Machine.system());
      random = new Random(seed);
    }

    @Override
    public RandomGenerator random() {
      return random;
    }

    @Override
    public RandomGenerator secureRandom() {
      return random;
    }

    @Override
    public Deadline.Ticker ticker() {
      return STANDING;
    }

    @Override
    public ScheduledExecutorService scheduler(String name) {
      threads.add(name);
      return super.scheduler(name);
    }

    @Override
    public ExecutorService workers(String name) {
      threads.add(name);
      return super.workers(name);
    }

    @Override
    public <T> T await(CompletableFuture<T> result)
        throws InterruptedException, ExecutionException {
      waits.incrementAndGet();
      return super.await(result);
    }
  }

  private static final Deadline.Ticker STANDING =
      new Deadline.Ticker() {
        @Override
        public long nanoTime() {
          return 0;
        }
      };

  private final class DeadlineReader implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      deadlines.add(options.getDeadline());
      return next.newCall(method, options);
    }
  }

  private static final class Recorder extends LeaseServiceImplBase {
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
      seen.add(request.getOwnerId());
      seen.add(request.getRequestId());
      answer(
          to, OpenSessionResponse.newBuilder().setSessionId("s").setTtl(request.getTtl()).build());
    }

    @Override
    public void acquire(AcquireRequest request, StreamObserver<AcquireResponse> to) {
      seen.add(request.getRequestId());
      answer(to, AcquireResponse.getDefaultInstance());
    }

    @Override
    public void closeSession(CloseSessionRequest request, StreamObserver<CloseSessionResponse> to) {
      seen.add(request.getRequestId());
      answer(to, CloseSessionResponse.getDefaultInstance());
    }

    private static <A> void answer(StreamObserver<A> to, A answer) {
      to.onNext(answer);
      to.onCompleted();
    }
  }
}
