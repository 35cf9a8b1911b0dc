package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.DecidedBy;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.GetPolicyRequest;
import dev.plinth.ratelimit.v1.InspectRequest;
import dev.plinth.ratelimit.v1.Policy;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.Ports;
import dev.plinth.testkit.engine.SharedEngine;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Limits of a whole process that is killed: the policy is there, and of budgets what is stated. */
class LimitCrashTest {
  private static final long LIMIT = 50_000;

  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  @TempDir Path directory;
  private final String domain = "d-" + UUID.randomUUID();
  private int port;
  private ManagedChannel channel;
  private RateLimitServiceBlockingStub limits;

  @BeforeEach
  void connect() {
    port = Ports.free(1)[0];
    channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    limits = RateLimitServiceGrpc.newBlockingStub(channel);
  }

  @AfterEach
  void disconnect() {
    channel.shutdownNow();
  }

  private JavaProcess start(String... flags) {
    String[] all =
        Stream.concat(Stream.of("--port=" + port, "--admin-port=0"), Stream.of(flags))
            .toArray(String[]::new);
    JavaProcess plinth = JavaProcess.start(directory, PlinthMain.class, all);
    plinth.awaitLine("is ready");
    channel.resetConnectBackoff();
    return plinth;
  }

  private Policy put() {
    return limits
        .putPolicy(
            PutPolicyRequest.newBuilder()
                .setDomain(domain)
                .addRules(
                    Rule.newBuilder()
                        .setName("all")
                        .setAlgorithm(Algorithm.ALGORITHM_TOKEN_BUCKET)
                        .setLimit(1)
                        .setPeriod(Durations.fromDays(1))
                        .setBurst(LIMIT))
                .build())
        .getPolicy();
  }

  private Decision check(long cost) {
    return limits
        .check(CheckRequest.newBuilder().setDomain(domain).setCost(cost).build())
        .getDecision();
  }

  private long used() {
    return LIMIT
        - limits
            .inspect(InspectRequest.newBuilder().setDomain(domain).build())
            .getKeys(0)
            .getStatus()
            .getRemaining();
  }

  private Policy policy() {
    return limits.getPolicy(GetPolicyRequest.newBuilder().setDomain(domain).build()).getPolicy();
  }

  @Test
  void embedded_killed_losesTheLastIntervalAtMost() {
    Policy put;
    long early;
    long all;
    try (JavaProcess plinth = start("--rate-limit.checkpoint-interval=200ms")) {
      put = put();
      early = charge(20);
      all = early;
      // A checkpoint that may have begun before writes its rows, then syncs; the next has all of
      // it.
      for (int i = 0; i < 4; i++) {
        long before = written();
        all += charge(1);
        Await.until("a checkpoint is written", () -> written() > before);
      }
      all += charge(20);
      plinth.kill();
    }
    try (JavaProcess plinth = start()) {
      assertEquals(put, policy());
      long used = used();
      assertTrue(used >= early, used + " used (expected: " + early + " or more)");
      assertTrue(used <= all, used + " used (expected: " + all + " or less)");
      assertEquals(Verdict.VERDICT_DENY, check(LIMIT - early + 1).getVerdict());
      plinth.signal("TERM");
      assertEquals(0, plinth.exitCode());
    }
    try (JavaProcess plinth = start()) {
      assertTrue(used() >= early, "a clean end writes everything");
      plinth.kill();
    }
  }

  private long written() {
    try (Stream<Path> files = Files.list(directory.resolve("plinth-data/budgets"))) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long charge(int checks) {
    for (int i = 0; i < checks; i++) {
      assertEquals(Verdict.VERDICT_ALLOW, check(10).getVerdict());
    }
    return checks * 10L;
  }

  @Test
  void redis_killedProcess_losesNothing() {
    String budgets = "--budgets=redis://" + REDIS.hostPorts();
    Policy put;
    try (JavaProcess plinth = start(budgets, "--rate-limit.store-budget=5s")) {
      put = put();
      for (int i = 0; i < 20; i++) {
        Decision decision = check(10);
        assertEquals(DecidedBy.DECIDED_BY_STORE, decision.getDecidedBy());
      }
      plinth.kill();
    }
    try (JavaProcess plinth = start(budgets, "--rate-limit.store-budget=5s")) {
      assertEquals(put, policy());
      assertEquals(200, used());
      plinth.kill();
    }
  }

  @Test
  void processWithoutItsRedis_starts_andAnswersByTheFailModes() {
    int nobody = Ports.free(1)[0];
    try (JavaProcess plinth = start("--budgets=redis://127.0.0.1:" + nobody)) {
      put();
      Decision decision = check(1);
      assertEquals(DecidedBy.DECIDED_BY_LOCAL_FALLBACK, decision.getDecidedBy());
      assertEquals(Verdict.VERDICT_ALLOW, decision.getVerdict());
      plinth.signal("TERM");
      assertEquals(0, plinth.exitCode());
    }
  }
}
