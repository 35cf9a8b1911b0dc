package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.client.limit.LimitOptions;
import dev.plinth.client.limit.Limiter;
import dev.plinth.client.limit.OnUnavailable;
import dev.plinth.testkit.Await;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closed while threads wait for a server that is not there: none of them is left waiting. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosedClientTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManagedChannel channel =
      InProcessChannelBuilder.forName(InProcessServerBuilder.generateName()).build();
  private final PlinthClient client = PlinthClient.builder(channel).operationTimeout(HOUR).build();

  @AfterEach
  void stop() {
    channel.shutdownNow();
  }

  @Test
  void acquireOfALease_ends_andSoDoesClose() throws Exception {
    FutureTask<?> acquiring = waiting(() -> client.leases().acquire("printer", HOUR));
    client.close();
    assertFailed(acquiring);
    assertThrows(IllegalStateException.class, () -> client.leases().tryAcquire("printer"));
  }

  @Test
  void campaign_ends() throws Exception {
    FutureTask<?> standing = waiting(() -> client.election("cron").campaign("here"));
    client.close();
    assertFailed(standing);
  }

  @Test
  void firstRangeOfIds_ends() throws Exception {
    FutureTask<?> opening = waiting(() -> client.ids().range("orders"));
    client.close();
    assertFailed(opening);
  }

  @Test
  void acquireOfALimit_goesByItsMode() throws Exception {
    Limiter limiter =
        client
            .limits(LimitOptions.defaults().onUnavailable(OnUnavailable.CLOSED))
            .of("api", "tenant", "acme");
    FutureTask<Boolean> acquiring = waiting(() -> limiter.acquire(1, HOUR));
    client.close();
    assertEquals(false, acquiring.get());
    assertEquals(false, limiter.acquire(1, HOUR));
  }

  private static <T> FutureTask<T> waiting(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "waiting");
    thread.setDaemon(true);
    thread.start();
    Await.until(
        "it waits",
        () ->
            thread.getState() == Thread.State.TIMED_WAITING
                || thread.getState() == Thread.State.WAITING);
    return task;
  }

  private static void assertFailed(FutureTask<?> task) {
    Throwable cause = assertThrows(ExecutionException.class, task::get).getCause();
    if (!(cause instanceof CallFailedException || cause instanceof IllegalStateException)) {
      throw new AssertionError(cause);
    }
  }
}
