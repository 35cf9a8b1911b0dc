package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireResponse;
import dev.plinth.lease.v1.AcquireResponse.Outcome;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc.LeaseServiceBlockingStub;
import dev.plinth.lease.v1.ReleaseRequest;
import dev.plinth.lease.v1.RenewItem;
import dev.plinth.lease.v1.RenewRequest;
import dev.plinth.lease.v1.RenewResult;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.HoldChecker;
import dev.plinth.testkit.HoldChecker.Hold;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;

/**
 * Clients that acquire, renew and release over and over, each call with a request id, over all
 * shards. Some leases are kept, to see at the end that none was lost.
 */
final class LeaseCycles implements AutoCloseable {
  /** How a client gets its call answered; what it throws fails the test. */
  interface Caller {
    <R> R call(Function<LeaseServiceBlockingStub, R> call);
  }

  private static final int NAMESPACES = 48; // over 16 shards: every one is met
  private static final int KEYS = 3;
  // Leaves the processes under test some of the machine.
  private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final List<Hold> holds = new CopyOnWriteArrayList<>();
  private final List<Lease> kept = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger cycles = new AtomicInteger();
  private final CountDownLatch ended;
  private volatile boolean over;

  LeaseCycles(List<Caller> callers) {
    ended = new CountDownLatch(callers.size());
    for (int i = 0; i < callers.size(); i++) {
      int client = i;
      Thread thread = new Thread(() -> work(client, callers.get(client)), "client" + i);
      thread.setDaemon(true);
      thread.start();
    }
  }

  static String namespace(int n) {
    return "ns" + Math.floorMod(n, NAMESPACES);
  }

  /** Goes on when so many more cycles are done. */
  void awaitMore(int more) {
    int enough = cycles.get() + more;
    Await.until(more + " more cycles", () -> cycles.get() >= enough || !failures.isEmpty());
    checkFailures();
  }

  private void checkFailures() {
    assertEquals(List.of(), List.copyOf(failures));
  }

  private void work(int client, Caller caller) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(client);
    try {
      for (int n = 0; !over; n++) {
        cycle(client, n, random, caller);
        cycles.incrementAndGet();
        LockSupport.parkNanos(PACE_NANOS);
      }
    } catch (RuntimeException | AssertionError e) {
      failures.add(e);
    } finally {
      ended.countDown();
    }
  }

  private void cycle(int client, int n, RandomGenerator random, Caller caller) {
    boolean keeps = n % 8 == 0;
    String namespace = namespace(random.nextInt(NAMESPACES));
    String key = keeps ? "kept-" + client + "-" + n : "key" + random.nextInt(KEYS);
    String id = client + "-" + n;
    AcquireRequest acquire =
        AcquireRequest.newBuilder()
            .setNamespace(namespace)
            .setKey(key)
            .setOwnerId("client" + client)
            .setTtl(Durations.fromMinutes(10))
            .setRequestId("a" + id)
            .build();
    long asked = System.nanoTime();
    AcquireResponse answer = caller.call(leases -> leases.acquire(acquire));
    long granted = System.nanoTime();
    if (answer.getOutcome() != Outcome.OUTCOME_GRANTED) {
      assertTrue(!keeps, "nobody else wants " + key + ": " + answer);
      return;
    }
    renew(answer.getLease(), caller);
    if (keeps) {
      kept.add(answer.getLease());
      return;
    }
    long token = answer.getLease().getToken();
    holds.add(
        new Hold(
            namespace + "/" + key, "client" + client, token, asked, granted, System.nanoTime()));
    ReleaseRequest release =
        ReleaseRequest.newBuilder()
            .setNamespace(namespace)
            .setKey(key)
            .setToken(token)
            .setRequestId("r" + id)
            .build();
    caller.call(leases -> leases.release(release));
  }

  private static void renew(Lease lease, Caller caller) {
    RenewRequest renew =
        RenewRequest.newBuilder()
            .setNamespace(lease.getNamespace())
            .addItems(RenewItem.newBuilder().setKey(lease.getKey()).setToken(lease.getToken()))
            .build();
    RenewResult result = caller.call(leases -> leases.renew(renew)).getResults(0);
    assertEquals(RenewResult.State.STATE_RENEWED, result.getState(), "an acknowledged grant");
  }

  /** Ends the clients, then judges all they saw. */
  void check(LeaseServiceBlockingStub leases) throws InterruptedException {
    close();
    assertTrue(ended.await(60, TimeUnit.SECONDS), "clients end");
    checkFailures();
    // Tokens rise within a namespace; those of others may come from other shards.
    holds.stream()
        .collect(Collectors.groupingBy(hold -> hold.key().split("/")[0]))
        .values()
        .forEach(HoldChecker::check);
    for (Lease lease : kept) {
      ValidateResponse answer =
          leases
              .withDeadlineAfter(10, TimeUnit.SECONDS)
              .validate(
                  ValidateRequest.newBuilder()
                      .setNamespace(lease.getNamespace())
                      .setKey(lease.getKey())
                      .setToken(lease.getToken())
                      .build());
      assertEquals(
          ValidateResponse.Outcome.OUTCOME_VALID, answer.getOutcome(), "was granted: " + lease);
    }
  }

  @Override
  public void close() {
    over = true;
  }
}
