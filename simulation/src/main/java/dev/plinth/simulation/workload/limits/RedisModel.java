package dev.plinth.simulation.workload.limits;

import dev.plinth.ratelimit.engine.Budgets;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Outcome;
import dev.plinth.simulation.kernel.Simulation;
import java.util.ArrayList;
import java.util.List;

/**
 * Redis with the budgets of one domain, decided by the engine that the script is held to. It can
 * lose all it has, go back to what a replica had, and turn its clock.
 */
final class RedisModel {
  private static final long START_MICROS = 1_900_000_000_000_000L;

  private record Entry(long now, long micros, List<BudgetRequest> batch) {}

  private final Simulation simulation;
  private final List<Entry> log = new ArrayList<>();
  private Budgets budgets = new Budgets();
  private long offset;

  RedisModel(Simulation simulation) {
    this.simulation = simulation;
  }

  List<Outcome> apply(List<BudgetRequest> batch) {
    Entry entry = new Entry(simulation.now(), micros(), batch);
    log.add(entry);
    return budgets.apply(batch, entry.micros);
  }

  private long micros() {
    return START_MICROS + simulation.now() / 1000 + offset;
  }

  /** FLUSHALL. */
  void flush() {
    log.clear();
    budgets = new Budgets();
  }

  /** A replica takes over that has not heard of what came after this. */
  void failOver(long upTo) {
    log.removeIf(entry -> entry.now > upTo);
    budgets = new Budgets();
    log.forEach(entry -> budgets.apply(entry.batch, entry.micros));
  }

  void stepClock(long micros) {
    offset += micros;
  }
}
