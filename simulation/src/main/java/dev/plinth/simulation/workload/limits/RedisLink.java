package dev.plinth.simulation.workload.limits;

import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.BudgetStore;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.kernel.Simulation;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One node's way to Redis. A request is applied and answered, applied with its answer lost, applied
 * late, or lost; each within the time that the weather of the run allows.
 */
final class RedisLink implements BudgetStore {
  private static final long MILLI = 1_000_000;
  private static final long TIMEOUT_MILLIS = 1000;

  private final Simulation simulation;
  private final SimulatedProcess process;
  private final RedisModel redis;
  private final RedisWeather weather;
  private final SplittableRandom random;

  RedisLink(SimulatedProcess process, RedisModel redis, RedisWeather weather, String name) {
    this.simulation = process.simulation();
    this.process = process;
    this.redis = redis;
    this.weather = weather;
    this.random = simulation.random("redis link " + name);
  }

  @Override
  public CompletionStage<List<Outcome>> apply(String domain, List<BudgetRequest> batch) {
    if (weather.isDown()) {
      return CompletableFuture.failedStage(
          StoreUnavailable.notApplied("budgets", "connection refused", null));
    }
    CompletableFuture<List<Outcome>> answer = new CompletableFuture<>();
    process.after(
        TIMEOUT_MILLIS * MILLI,
        () ->
            answer.completeExceptionally(
                StoreUnavailable.outcomeUnknown("budgets", "no answer in time", null)));
    if (!weather.loses(random)) {
      // In the world: what is on its way arrives also from a node that died.
      simulation.world().after(weather.delayNanos(random), () -> arrived(batch, answer));
    }
    return answer;
  }

  private void arrived(List<BudgetRequest> batch, CompletableFuture<List<Outcome>> answer) {
    List<Outcome> outcomes = redis.apply(batch);
    if (!weather.loses(random)) {
      process.after(weather.delayNanos(random), () -> answer.complete(outcomes));
    }
  }

  @Override
  public String name() {
    return "budgets";
  }

  @Override
  public String kind() {
    return "redis";
  }

  @Override
  public String location() {
    return "simulated";
  }

  @Override
  public Optional<String> unavailableReason() {
    return Optional.empty();
  }

  @Override
  public void close() {}
}
