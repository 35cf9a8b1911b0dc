package dev.plinth.ratelimit.store.redis;

import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.server.settings.Secret;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.StaticCredentialsProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Budgets in a Redis of version 5 or later. A batch is one run of one script, which nothing else
 * interrupts, at the time of Redis's own clock.
 *
 * <p>A batch is never applied twice: what was in flight on a broken connection fails with its
 * outcome unknown. While Redis is unavailable everything fails at once, and connections are
 * reopened in the background; so a store opens, and stays, without it.
 *
 * <p>What Redis loses (a restart without persistence, a failover to a replica that lags, eviction)
 * admits at most one full budget more for each key. Durability is Redis's own to be set up.
 */
public final class RedisBudgetStore implements BudgetStore {
  /** That nothing was asked since does not mean that it is over, nor for long that it is not. */
  private record Refusal(String why, long nanos) {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

    boolean isFresh(long now) {
      return now - nanos < FRESH_NANOS;
    }
  }

  /** The time is that of Redis. */
  static final LongSupplier OWN_TIME = () -> 0;

  private final RedisAddress address;
  private final Duration timeout;
  private final Executor executor;
  private final LongSupplier time;
  private final RedisClockEstimate clock;
  private final RedisDriver driver;
  private final RedisConnections connections;
  private volatile Refusal refusal;

  private RedisBudgetStore(
      RedisAddress address,
      Duration timeout,
      RedisSettings settings,
      Executor executor,
      LongSupplier time,
      Machine machine) {
    Optional<RedisCredentialsProvider> credentials = credentials(settings);
    this.address = address;
    this.timeout = timeout;
    this.executor = executor;
    this.time = time;
    this.clock = new RedisClockEstimate(machine.nanos());
    this.driver = new RedisDriver(settings.caFile(), machine);
    this.connections =
        address.kind() == RedisAddress.Kind.CLUSTER
            ? new ClusterConnections(driver, address, credentials, settings.connections())
            : new ServerConnections(
                driver,
                address.uri(RedisDriver.HELLO, credentials),
                address.toString(),
                settings.connections());
  }

  /**
   * Does not wait for Redis.
   *
   * @param uri one of {@link RedisAddress#FORMS}
   * @param timeout for one batch, second trips included: as long as callers wait for it, since a
   *     batch that nobody waits for need not be sent
   * @param executor reads the answers and runs what depends on them, off the connections' threads
   * @throws StoreUnavailable if the file with the password cannot be read
   */
  public static RedisBudgetStore open(
      String uri, Duration timeout, RedisSettings settings, Executor executor) {
    return open(uri, timeout, settings, executor, Machine.system());
  }

  /** Like the other, on a machine that is given. */
  public static RedisBudgetStore open(
      String uri, Duration timeout, RedisSettings settings, Executor executor, Machine machine) {
    return new RedisBudgetStore(address(uri), timeout, settings, executor, OWN_TIME, machine);
  }

  /** With a clock of a test's own in place of Redis's, in microseconds. */
  static RedisBudgetStore open(
      String uri, Duration timeout, RedisSettings settings, Executor executor, LongSupplier time) {
    return new RedisBudgetStore(address(uri), timeout, settings, executor, time, Machine.system());
  }

  private static RedisAddress address(String uri) {
    return RedisAddress.parse(uri)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "address of Redis (expected: " + RedisAddress.FORMS + ")"));
  }

  private static Optional<RedisCredentialsProvider> credentials(RedisSettings settings) {
    return settings
        .passwordFile()
        .map(secret -> new StaticCredentialsProvider(null, password(secret).toCharArray()));
  }

  private static String password(Secret secret) {
    try {
      return secret.reveal();
    } catch (IOException e) {
      throw StoreUnavailable.notApplied(
          RedisFailures.ENGINE, "cannot read its password in " + secret.file(), e);
    }
  }

  @Override
  public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
    if (batch.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return outcomes(new ScriptCall(this, domain, batch, nanos() + timeout.toNanos()));
  }

  private CompletionStage<List<Outcome>> outcomes(ScriptCall call) {
    call.send();
    endInTime(call);
    return call.answer()
        .handleAsync((numbers, failure) -> outcomes(call, numbers, failure), executor)
        .thenCompose(Function.identity());
  }

  private void endInTime(ScriptCall call) {
    CompletableFuture<long[]> answer = call.answer();
    try {
      ScheduledFuture<?> end =
          driver
              .scheduler()
              .schedule(
                  () -> answer.completeExceptionally(new TimeoutException()),
                  Math.max(0, call.timeLeft()),
                  TimeUnit.NANOSECONDS);
      answer.whenComplete((numbers, failure) -> end.cancel(false));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(new TimeoutException()); // closed: nobody else would end it
    }
  }

  private CompletionStage<List<Outcome>> outcomes(
      ScriptCall call, long[] numbers, Throwable failure) {
    if (failure == null) {
      if (refusal != null) {
        refusal = null;
      }
      return CompletableFuture.completedStage(call.outcomes(numbers));
    }
    if (RedisFailures.isOwn(failure)) {
      return apart(call, RedisFailures.reason(failure));
    }
    StoreUnavailable unavailable = RedisFailures.of(failure);
    if (unavailable.mayHaveApplied()) {
      call.giveUp();
    }
    if (unavailable.getCause() instanceof RedisCommandExecutionException) {
      refusal = new Refusal(unavailable.getMessage(), nanos());
    }
    throw unavailable;
  }

  /**
   * The script failed on one of these requests: they go again in halves, until only those fail that
   * are to blame. It writes at its end, so a script that failed has done nothing; but for slots,
   * which are not tried again. Both halves are sent at once, one behind the other, and have what is
   * left of the batch's time: whoever waits for the batch, and its queue, waits no longer than for
   * any other.
   */
  private CompletionStage<List<Outcome>> apart(ScriptCall call, String why) {
    List<BudgetRequest> batch = call.requests();
    List<BudgetRequest> others = batch.stream().filter(request -> !isOfSlots(request)).toList();
    if (others.size() < batch.size()) {
      return part(call, others).thenApply(outcomes -> withSlots(batch, outcomes, why));
    }
    if (batch.size() == 1) {
      return CompletableFuture.completedStage(List.of(new Outcome.Undecided(why, false)));
    }
    int half = batch.size() / 2;
    CompletionStage<List<Outcome>> first = part(call, batch.subList(0, half));
    CompletionStage<List<Outcome>> second = part(call, batch.subList(half, batch.size()));
    return first.thenCombine(second, (a, b) -> Stream.concat(a.stream(), b.stream()).toList());
  }

  private static List<Outcome> withSlots(
      List<BudgetRequest> batch, List<Outcome> others, String why) {
    Iterator<Outcome> next = others.iterator();
    return batch.stream()
        .map(request -> isOfSlots(request) ? new Outcome.Undecided(why, true) : next.next())
        .toList();
  }

  /** The other part may be applied, so the whole batch must not fail as if nothing were. */
  private CompletionStage<List<Outcome>> part(ScriptCall call, List<BudgetRequest> some) {
    if (some.isEmpty()) {
      return CompletableFuture.completedStage(List.of());
    }
    if (call.timeLeft() <= 0) {
      return CompletableFuture.completedStage(
          Collections.nCopies(some.size(), new Outcome.Undecided("no time is left", false)));
    }
    return outcomes(call.part(some))
        .exceptionally(
            failure ->
                Collections.nCopies(
                    some.size(),
                    new Outcome.Undecided(
                        RedisFailures.reason(failure),
                        RedisFailures.of(failure).mayHaveApplied())));
  }

  private static boolean isOfSlots(BudgetRequest request) {
    return request.operation() instanceof Operation.AcquireSlot
        || request.operation() instanceof Operation.RenewSlot
        || request.operation() instanceof Operation.ReleaseSlot;
  }

  long nanos() {
    return driver.nanos();
  }

  RedisConnections connections() {
    return connections;
  }

  RedisClockEstimate clock() {
    return clock;
  }

  LongSupplier time() {
    return time;
  }

  @Override
  public String name() {
    return "budgets";
  }

  @Override
  public String kind() {
    return RedisFailures.ENGINE;
  }

  /** Without the password. */
  @Override
  public String location() {
    return address.toString();
  }

  @Override
  public Optional<String> unavailableReason() {
    Refusal last = refusal;
    return connections
        .unavailableReason()
        .or(
            () ->
                Optional.ofNullable(last).filter(told -> told.isFresh(nanos())).map(Refusal::why));
  }

  @Override
  public void close() {
    connections.close();
    driver.close();
  }
}
