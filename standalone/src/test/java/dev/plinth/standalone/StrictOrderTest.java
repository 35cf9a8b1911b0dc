package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.IdServiceGrpc.IdServiceBlockingStub;
import dev.plinth.id.v1.Order;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.MonotonicityChecker;
import dev.plinth.testkit.MonotonicityChecker.Given;
import dev.plinth.testkit.engine.Ports;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * I2: in a namespace of strict order, whoever asks after another was answered has the higher id,
 * though the server is killed and started again meanwhile.
 */
class StrictOrderTest {
  private static final int CALLERS = 8;
  private static final int KILLS = 3;
  private static final int BETWEEN = 200;

  @TempDir Path directory;
  private final int port = Ports.free(1)[0];
  private final ManagedChannel channel =
      ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
  private final ConcurrentLinkedQueue<Given> given = new ConcurrentLinkedQueue<>();
  private volatile boolean ended;

  @AfterEach
  void stop() {
    ended = true;
    callers.shutdownNow();
    channel.shutdownNow();
  }

  @Test
  void I2_I8_strictIds_riseInRealTime_overKill9() throws Exception {
    IdServiceBlockingStub ids = IdServiceGrpc.newBlockingStub(channel);
    for (int round = 0; round <= KILLS; round++) {
      try (JavaProcess plinth = start()) {
        channel.resetConnectBackoff();
        if (round == 0) {
          define(ids);
          startCallers(ids);
        }
        int enough = given.size() + BETWEEN;
        Await.until("more ids", () -> given.size() >= enough);
        if (round == KILLS) {
          ended = true;
          callers.shutdown();
          assertTrue(callers.awaitTermination(60, TimeUnit.SECONDS));
        }
        plinth.kill();
      }
    }
    MonotonicityChecker.check(new ArrayList<>(List.copyOf(given)));
  }

  private JavaProcess start() {
    JavaProcess plinth =
        JavaProcess.start(directory, PlinthMain.class, "--port=" + port, "--admin-port=0");
    plinth.awaitLine("is ready");
    return plinth;
  }

  private static void define(IdServiceBlockingStub ids) {
    ids.putNamespace(
        PutNamespaceRequest.newBuilder()
            .setNamespace("invoices")
            .setDefinition(
                Definition.newBuilder().setFormat(Format.FORMAT_DENSE).setOrder(Order.ORDER_STRICT))
            .build());
  }

  private void startCallers(IdServiceBlockingStub ids) {
    for (int i = 0; i < CALLERS; i++) {
      int caller = i;
      callers.execute(
          () -> {
            Random random = new Random(caller);
            for (int n = 0; !ended; n++) {
              String requestId = random.nextBoolean() ? caller + "-" + n : "";
              take(ids, caller, 1 + random.nextInt(3), requestId);
            }
          });
    }
  }

  /** Without a request id an answer that did not come is lost; with one it is asked for again. */
  private void take(IdServiceBlockingStub ids, int caller, int count, String requestId) {
    AllocateRequest request =
        AllocateRequest.newBuilder()
            .setNamespace("invoices")
            .setCount(count)
            .setRequestId(requestId)
            .build();
    long asked = System.nanoTime();
    do {
      try {
        AllocateResponse answer = ids.withDeadlineAfter(5, TimeUnit.SECONDS).allocate(request);
        long last = answer.getFirst() + answer.getCount() - 1;
        given.add(new Given(caller, asked, System.nanoTime(), answer.getFirst(), last));
        return;
      } catch (StatusRuntimeException e) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    } while (!requestId.isEmpty() && !ended);
  }
}
