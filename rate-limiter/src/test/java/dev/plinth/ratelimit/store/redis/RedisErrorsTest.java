package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real Redis that refuses: what concerns the store as a whole is told as its trouble and answers
 * nobody alone. {@link ErrorRepliesTest} has the replies that cannot be provoked.
 */
@Tag("engine")
class RedisErrorsTest {
  private static final Limit COUNTED = new Limit.FixedWindow(1_000_000_000, 1L << 52);

  @RegisterExtension static final SharedEngine REDIS = Engines.redis();

  private final String domain = "d" + UUID.randomUUID();
  private RedisClient client;
  private RedisCommands<String, String> admin;
  private RedisBudgetStore store;

  /** How Redis is brought to refuse, and to serve again. */
  private enum Refusal {
    OOM(
        "OOM",
        redis -> redis.configSet("maxmemory", "1"),
        redis -> redis.configSet("maxmemory", "0")),
    NOREPLICAS(
        "NOREPLICAS",
        redis -> redis.configSet("min-replicas-to-write", "1"),
        redis -> redis.configSet("min-replicas-to-write", "0")),
    NOPERM(
        "NOPERM",
        redis ->
            redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA)),
        redis ->
            redis.aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.EVALSHA))),
    NOPERM_WITHIN_THE_SCRIPT(
        "The user executing the script",
        redis -> redis.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.SET)),
        redis -> redis.aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.SET))),
    READONLY(
        "READONLY|it is a replica",
        redis -> redis.replicaof("127.0.0.1", 1),
        RedisCommands::replicaofNoOne),
    MASTERDOWN(
        "MASTERDOWN|it is a replica",
        redis -> {
          redis.configSet("replica-serve-stale-data", "no");
          redis.replicaof("127.0.0.1", 1);
        },
        redis -> {
          redis.replicaofNoOne();
          redis.configSet("replica-serve-stale-data", "yes");
        });

    private final Pattern told;
    private final Consumer<RedisCommands<String, String>> provoke;
    private final Consumer<RedisCommands<String, String>> undo;

    Refusal(
        String told,
        Consumer<RedisCommands<String, String>> provoke,
        Consumer<RedisCommands<String, String>> undo) {
      this.told = Pattern.compile(told);
      this.provoke = provoke;
      this.undo = undo;
    }
  }

  @BeforeEach
  void open() {
    client = RedisClient.create("redis://" + REDIS.hostPorts());
    admin = client.connect().sync();
    store =
        RedisBudgetStore.open(
            "redis://" + REDIS.hostPorts(),
            Duration.ofSeconds(20),
            new RedisSettings(2),
            ForkJoinPool.commonPool());
    Await.until("a connection", () -> store.unavailableReason().isEmpty());
  }

  @AfterEach
  void close() {
    store.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private List<Outcome> take(String... keys) {
    List<BudgetRequest> batch =
        List.of(keys).stream()
            .map(key -> new Budget(key, COUNTED, 1, OnChange.AS_IS, false, Optional.empty()))
            .map(budget -> BudgetRequest.of(Operation.Take.of(List.of(new Charge(budget, 1)))))
            .toList();
    return store.apply(domain, batch).toCompletableFuture().join();
  }

  private StoreUnavailable failure() {
    CompletionException failed = assertThrows(CompletionException.class, () -> take("a", "b"));
    return assertInstanceOf(StoreUnavailable.class, failed.getCause());
  }

  private boolean takes() {
    try {
      return take("a").get(0) instanceof Outcome.Taken;
    } catch (CompletionException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(Refusal.class)
  void refusal_ofTheStoreAsAWhole_failsTheBatch_isTold_andPasses(Refusal refusal) {
    take("a", "b");
    refusal.provoke.accept(admin);
    try {
      failure();
      String unavailableReason = store.unavailableReason().orElse("");
      assertTrue(refusal.told.matcher(unavailableReason).find(), unavailableReason);
    } finally {
      refusal.undo.accept(admin);
    }
    Await.until("decisions again", this::takes);
    assertEquals(Optional.empty(), store.unavailableReason());
  }

  /** Redis answers even a PING with the error then; it is there nevertheless. */
  @Test
  void snapshotsThatFail_areTold_andTheConnectionsStay() {
    String folder = admin.configGet("dir").get("dir");
    take("a");
    admin.configSet("save", "3600 1");
    admin.configSet("dir", "/proc"); // where nobody can make a file
    try {
      admin.bgsave();
      Await.until(
          "MISCONF", () -> !takes() && store.unavailableReason().orElse("").contains("MISCONF"));
      long connections = connections();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3); // longer than a silent peer has
      Await.until(
          "a while",
          () -> {
            assertEquals(connections, connections(), "connections were made anew");
            assertTrue(failure().getMessage().contains("MISCONF"));
            return System.nanoTime() > end;
          });
    } finally {
      admin.configSet("dir", folder);
      admin.configSet("save", "");
    }
    Await.until("decisions again", this::takes);
  }

  /** Made since the server began. */
  private long connections() {
    return admin
        .info("stats")
        .lines()
        .filter(line -> line.startsWith("total_connections_received:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void keyThatNamesAnErrorOfTheStore_isItsRequestsErrorAlone() {
    String key = "rate|tenant=x: OOM command not allowed";
    admin.set("plinth:{" + domain + "}:b:" + key, "v1 nonsense");
    List<Outcome> outcomes = take("a", key, "b");
    assertInstanceOf(Outcome.Taken.class, outcomes.get(0));
    assertInstanceOf(Outcome.Undecided.class, outcomes.get(1));
    assertInstanceOf(Outcome.Taken.class, outcomes.get(2));
    assertEquals(Optional.empty(), store.unavailableReason());
  }

  @Test
  void keyOfAnotherType_isItsRequestsErrorAlone() {
    admin.rpush("plinth:{" + domain + "}:t:none", "x");
    admin.rpush("plinth:{" + domain + "}:b:list", "x");
    assertInstanceOf(Outcome.Taken.class, take("a", "list", "b").get(2));
    assertEquals(Optional.empty(), store.unavailableReason());
  }
}
