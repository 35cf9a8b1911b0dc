package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.policy.OnChange;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.testkit.Await;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

/** A store on Redis as people run it, and a connection to each server for the test itself. */
abstract class RedisTopologyCase {
  private static final Budget COUNTED =
      new Budget(
          "counted",
          new Limit.FixedWindow(1_000_000_000, 1L << 52),
          1,
          OnChange.AS_IS,
          false,
          Optional.empty());

  RedisBudgetStore store;

  @AfterEach
  void close() {
    if (store != null) {
      store.close();
    }
  }

  void open(String address, Optional<Path> ca) {
    store =
        RedisBudgetStore.open(
            address,
            Duration.ofSeconds(5),
            new RedisSettings(2, Optional.empty(), ca),
            ForkJoinPool.commonPool());
  }

  void opened(String address, Optional<Path> ca) {
    open(address, ca);
    Await.until("a connection", () -> store.unavailableReason().isEmpty());
  }

  long used(String domain, long cost) {
    BudgetRequest request = BudgetRequest.of(Operation.Take.of(List.of(new Charge(COUNTED, cost))));
    Outcome.Taken taken =
        (Outcome.Taken) store.apply(domain, List.of(request)).toCompletableFuture().join().get(0);
    return COUNTED.limit().size() - taken.standings().get(0).available();
  }

  boolean takes(String domain) {
    try {
      return used(domain, 1) > 0;
    } catch (CompletionException e) {
      return false;
    }
  }

  static String name() {
    return "d" + UUID.randomUUID();
  }

  static void on(InetSocketAddress address, Consumer<RedisCommands<String, String>> task) {
    RedisClient admin =
        RedisClient.create(RedisURI.create(address.getHostString(), address.getPort()));
    try (var connection = admin.connect()) {
      task.accept(connection.sync());
    } finally {
      admin.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
  }
}
