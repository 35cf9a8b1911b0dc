package dev.plinth.client.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.LeaseRule;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limiters and interceptors over a real service. */
class RateLimitClientTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir Path directory;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private LimitServer server;
  private PlinthClient client;

  @BeforeEach
  void start() {
    server = new LimitServer(directory);
    client = PlinthClient.builder(server.target()).metrics(meters).build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  /** From its start on, no more than the burst and what has come since. */
  @Test
  void L1_twoClientsWithLeases_admitNoMoreThanTheLimit() throws Exception {
    int burst = 2000;
    int perSecond = 1000;
    server.put(
        LimitServer.bucket(burst, perSecond, Duration.ofSeconds(1))
            .setLease(LimitServer.lending()));
    AtomicLong admitted = new AtomicLong();
    long before = System.nanoTime();
    try (PlinthClient other = PlinthClient.builder(server.target()).metrics(meters).build()) {
      List<Thread> threads = new ArrayList<>();
      for (PlinthClient one : List.of(client, client, other, other)) {
        Limiter limiter = one.limits(strict().leaseAbove(0)).of("api", "tenant", "acme");
        threads.add(
            new Thread(
                () -> {
                  while (System.nanoTime() - before < Duration.ofSeconds(3).toNanos()) {
                    admitted.addAndGet(limiter.tryAcquire() ? 1 : 0);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    double seconds = (System.nanoTime() - before) / 1e9;
    assertTrue(admitted.get() <= burst + perSecond * seconds, admitted + " in " + seconds + " s");
    assertTrue(admitted.get() >= burst, "admitted: " + admitted);
    assertTrue(decisions("ALLOWED", "LEASE") > 0);
  }

  @Test
  void withoutALeaseRule_theLimitIsExact() throws Exception {
    server.put(LimitServer.bucket(0, 100, HOUR).setAlgorithm(Algorithm.ALGORITHM_FIXED_WINDOW));
    Limiter limiter = client.limits(strict().leaseAbove(0)).of("api", "tenant", "acme");
    AtomicLong admitted = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          new Thread(
              () -> {
                for (int call = 0; call < 100; call++) {
                  admitted.addAndGet(limiter.tryAcquire() ? 1 : 0);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(100, admitted.get());
    assertTrue(decisions("DENIED", "DENY_CACHE") > 0);
    assertEquals(0, decisions("ALLOWED", "LEASE"));
  }

  @Test
  void close_givesTheRestOfALeaseBack() {
    // For longer than any pause of this process: a lease that ran out cannot be given back.
    LeaseRule.Builder lasting = LimitServer.lending().setTtl(Durations.fromSeconds(60));
    server.put(LimitServer.bucket(1000, 1000, Duration.ofDays(30)).setLease(lasting));
    RateLimitClient rateLimitClient = client.limits(strict().leaseAbove(0));
    Limiter limiter = rateLimitClient.of("api", "tenant", "acme");
    int calls = 0;
    while (decisions("ALLOWED", "LEASE") < 5) {
      assertTrue(limiter.tryAcquire());
      calls++;
    }
    rateLimitClient.close();
    int admitted = calls;
    Await.until("all but what was used", () -> server.remaining("acme") == 1000 - admitted);
  }

  @Test
  void check_tellsAll() throws Exception {
    server.put(LimitServer.bucket(10, 10, HOUR));
    Limiter limiter = client.limits(strict()).of("api", "tenant", "acme");
    Decision allowed = limiter.check(4);
    assertEquals(Verdict.VERDICT_ALLOW, allowed.getVerdict());
    assertEquals(6, allowed.getLimits(0).getRemaining());
    assertTrue(allowed.getHeadersMap().containsKey("RateLimit"), allowed.toString());
    Decision denied = limiter.check(7);
    assertEquals(Verdict.VERDICT_DENY, denied.getVerdict());
    assertTrue(denied.hasRetryAfter());
    assertTrue(limiter.tryAcquire(6));
    assertFalse(limiter.tryAcquire());
  }

  @Test
  void domainWithoutPolicy_isAFailure() {
    Limiter limiter = client.limits(strict()).of("nowhere", "tenant", "acme");
    CallFailedException failed = assertThrows(CallFailedException.class, limiter::tryAcquire);
    assertEquals(ErrorReason.ERROR_REASON_POLICY_UNKNOWN, failed.reason());
    assertThrows(CallFailedException.class, () -> limiter.check(1));
  }

  @Test
  void acquire_waitsForItsTurn() throws Exception {
    server.put(LimitServer.bucket(1, 10, Duration.ofSeconds(1)));
    Limiter limiter = client.limits(strict()).of("api", "tenant", "acme");
    long before = System.nanoTime();
    for (int i = 0; i < 4; i++) {
      assertTrue(limiter.acquire(1, Duration.ofSeconds(20)));
    }
    assertTrue(System.nanoTime() - before >= Duration.ofMillis(300).toNanos());
    assertFalse(limiter.acquire(1, Duration.ZERO));
  }

  @Test
  void acquireInterrupted_givesItsPlaceBack() throws Exception {
    server.put(LimitServer.bucket(1, 1, HOUR));
    Limiter limiter = client.limits(strict()).of("api", "tenant", "acme");
    assertTrue(limiter.tryAcquire());
    Thread waiter = new Thread(() -> assertThrows(InterruptedException.class, () -> wait(limiter)));
    waiter.start();
    Await.until("it waits", () -> waiter.getState() == Thread.State.WAITING);
    waiter.interrupt();
    waiter.join();
    // With its place still taken the next would be two hours away.
    Await.until(
        "its place is free",
        () ->
            limiter
                .reserve(1, Duration.ofMinutes(61))
                .map(place -> place.delay().compareTo(HOUR) <= 0)
                .orElse(false));
  }

  private static boolean wait(Limiter limiter) throws InterruptedException {
    return limiter.acquire(1, HOUR);
  }

  @Test
  void reservation_isSettledWithWhatItCost() throws Exception {
    server.put(LimitServer.bucket(10, 10, HOUR));
    Limiter limiter = client.limits(strict()).of("api", "tenant", "acme");
    try (Reservation place = limiter.reserve(10, Duration.ZERO).orElseThrow()) {
      assertEquals(Duration.ZERO, place.delay());
      assertEquals(Optional.empty(), limiter.reserve(1, Duration.ZERO));
      assertTrue(place.settle(3));
    }
    assertEquals(7, server.remaining("acme"));
    assertTrue(limiter.tryAcquire(7));
  }

  @Test
  void serviceAway_isOpen_andComesBackByItself() {
    server.put(LimitServer.bucket(10, 10, HOUR));
    try (FaultProxy proxy = FaultProxy.to("localhost", server.port());
        PlinthClient far = PlinthClient.builder(proxy.address()).metrics(meters).build()) {
      Limiter limiter =
          far.limits(LimitOptions.defaults().withoutLeases()).of("api", "tenant", "acme");
      Await.until("an answer", () -> limiter.tryAcquire() && decisions("ALLOWED", "SERVICE") > 0);
      proxy.cut();
      assertTrue(limiter.tryAcquire());
      Await.until(
          "no answer", () -> limiter.tryAcquire() && decisions("ALLOWED", "UNAVAILABLE") > 3);
      proxy.heal();
      double answered = decisions("ALLOWED", "SERVICE");
      Await.until(
          "answers", () -> limiter.tryAcquire() && decisions("ALLOWED", "SERVICE") > answered);
    }
  }

  @Test
  void rateInterceptor_letsTheBurstThrough() {
    server.put(LimitServer.bucket(3, 3, HOUR));
    CallDescriptors acme = (call, headers) -> Optional.of(Map.of("tenant", "acme"));
    try (GuardedServer guarded =
        new GuardedServer(
            RateLimitServerInterceptor.of(client.limits(strict().withoutLeases()), "api", acme))) {
      for (int i = 0; i < 3; i++) {
        assertEquals(Code.OK, guarded.one("hello").ended.join().getCode());
      }
      GuardedServer.Talk over = guarded.one("once more");
      assertEquals(Code.RESOURCE_EXHAUSTED, over.ended.join().getCode());
      assertTrue(over.trailers.containsKey(key("ratelimit")));
      assertTrue(over.trailers.containsKey(key("ratelimit-policy")));
      assertTrue(over.trailers.containsKey(key("retry-after")));
      assertEquals(3, guarded.heard.size());
    }
  }

  @Test
  void concurrencyInterceptor_letsSoManyRunAtOnce() {
    server.put(LimitServer.concurrency(2));
    CallDescriptors talks = (call, headers) -> Optional.of(Map.of("route", "talk"));
    try (GuardedServer guarded =
        new GuardedServer(
            ConcurrencyServerInterceptor.of(
                client.limits(strict()), "api", talks, Duration.ofSeconds(9)))) {
      GuardedServer.Talk first = guarded.talk(new Metadata()).say("1");
      GuardedServer.Talk second = guarded.talk(new Metadata()).say("2");
      Await.until("both run", () -> guarded.heard.size() == 2);
      assertEquals(Code.RESOURCE_EXHAUSTED, guarded.one("3").ended.join().getCode());
      Await.until("both are renewed", () -> slots("RENEWED") >= 2);
      assertEquals(Code.RESOURCE_EXHAUSTED, guarded.one("3").ended.join().getCode());
      first.finish();
      assertEquals(Code.OK, first.ended.join().getCode());
      Await.until(
          "a place is free",
          () -> guarded.talk(new Metadata()).finish().ended.join().getCode() == Code.OK);
      second.cancel();
      assertEquals(0, slots("LOST"));
    }
  }

  /** Under which nothing fails open because a machine is slow. */
  private static LimitOptions strict() {
    return LimitOptions.defaults()
        .deadline(Duration.ofSeconds(20))
        .onUnavailable(OnUnavailable.CLOSED);
  }

  private double decisions(String answer, String source) {
    return meters
        .get("plinth.client.limit.decisions")
        .tags("answer", answer, "source", source)
        .counter()
        .count();
  }

  private double slots(String event) {
    return meters.get("plinth.client.limit.slots").tag("event", event).counter().count();
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
