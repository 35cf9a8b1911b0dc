package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Message;
import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.config.v1.ConfigDistributionServiceGrpc;
import dev.plinth.config.v1.ConfigServiceGrpc;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.registry.v1.PartitionServiceGrpc;
import dev.plinth.registry.v1.PresenceServiceGrpc;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.testkit.TestSettings;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * K12: no request is answered INTERNAL or UNKNOWN, or not at all, however it is made. Thousands for
 * every call of every service that is bound.
 */
class NearValidRequestsTest {
  private static final long SEED = 20;
  private static final int REQUESTS = 2000;
  private static final int IN_FLIGHT = 200;
  private static final int FOLLOWED_MILLIS = 100;
  private static final Set<Status.Code> FAULTS =
      Set.of(
          Status.Code.INTERNAL,
          Status.Code.UNKNOWN,
          Status.Code.DATA_LOSS,
          Status.Code.UNIMPLEMENTED);

  private static final List<ServiceDescriptor> SERVICES =
      List.of(
          // Those that define things first, so that the others find some.
          dev.plinth.ratelimit.v1.RateLimitServiceGrpc.getServiceDescriptor(),
          IdServiceGrpc.getServiceDescriptor(),
          RegistryServiceGrpc.getServiceDescriptor(),
          PartitionServiceGrpc.getServiceDescriptor(),
          PresenceServiceGrpc.getServiceDescriptor(),
          ConfigServiceGrpc.getServiceDescriptor(),
          ConfigDistributionServiceGrpc.getServiceDescriptor(),
          LeaseServiceGrpc.getServiceDescriptor(),
          ElectionServiceGrpc.getServiceDescriptor(),
          AdminServiceGrpc.getServiceDescriptor(),
          RateLimitServiceGrpc.getServiceDescriptor(),
          HealthGrpc.getServiceDescriptor());

  @TempDir Path directory;
  private final RandomMessages messages = new RandomMessages(SEED);
  private final Queue<String> faults = new ConcurrentLinkedQueue<>();
  private PlinthServer plinthServer;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    plinthServer =
        PlinthServer.start(
            TestSettings.read(
                PlinthSettings.class, "--port=0", "--admin-port=0", "--data-dir=" + directory));
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", plinthServer.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    plinthServer.close();
  }

  @Test
  void K12_everyCall_answersNearValidRequests_withAStatusOfItsOwn() throws Exception {
    Semaphore room = new Semaphore(IN_FLIGHT);
    // In turns, so that calls meet what others made meanwhile.
    for (int turn = 0; turn < REQUESTS / IN_FLIGHT; turn++) {
      for (ServiceDescriptor service : SERVICES) {
        for (MethodDescriptor<?, ?> method : service.getMethods()) {
          for (int i = 0; i < IN_FLIGHT; i++) {
            room.acquire();
            send(method, room);
          }
        }
      }
    }
    room.acquire(IN_FLIGHT);
    assertEquals(
        "", faults.stream().limit(10).collect(Collectors.joining("\n")), faults.size() + " faults");
  }

  @Test
  void services_areAllThatAreBound() {
    Set<String> known =
        Stream.concat(
                SERVICES.stream().map(ServiceDescriptor::getName),
                Stream.of(ServerReflectionGrpc.SERVICE_NAME))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(known, bound());
  }

  private Set<String> bound() {
    CompletableFuture<Set<String>> names = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> requests =
        ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse answer) {
                    names.complete(
                        answer.getListServicesResponse().getServiceList().stream()
                            .map(ServiceResponse::getName)
                            .collect(Collectors.toCollection(TreeSet::new)));
                  }

                  @Override
                  public void onError(Throwable thrown) {
                    names.completeExceptionally(thrown);
                  }

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    Set<String> found = names.orTimeout(20, TimeUnit.SECONDS).join();
    requests.onCompleted();
    return found;
  }

  private <Q, A> void send(MethodDescriptor<Q, A> method, Semaphore room) {
    @SuppressWarnings("unchecked") // all are protobuf's
    Q request =
        (Q)
            messages.like(
                (Message)
                    ((PrototypeMarshaller<Q>) method.getRequestMarshaller()).getMessagePrototype());
    boolean unary = method.getType() == MethodType.UNARY;
    CallOptions options =
        unary
            ? CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS)
            : CallOptions.DEFAULT.withDeadlineAfter(FOLLOWED_MILLIS, TimeUnit.MILLISECONDS);
    ClientCall<Q, A> call = channel.newCall(method, options);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(A answer) {
            messages.learn((Message) answer);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            boolean hung = unary && status.getCode() == Status.Code.DEADLINE_EXCEEDED;
            if (hung || FAULTS.contains(status.getCode())) {
              faults.add(method.getFullMethodName() + " " + status + "\n" + request);
            }
            room.release();
          }
        },
        new Metadata());
    call.request(100);
    call.sendMessage(request);
    call.halfClose();
  }
}
