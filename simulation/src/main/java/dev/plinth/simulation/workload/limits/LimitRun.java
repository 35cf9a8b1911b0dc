package dev.plinth.simulation.workload.limits;

import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.workload.RunReport;
import dev.plinth.simulation.workload.WorkloadKind;
import dev.plinth.simulation.workload.WorkloadLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One run of a seed: nodes with the real pipeline over a Redis that is slow, loses answers and
 * state, and callers that ask for more than the limit.
 */
public final class LimitRun {
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000;
  private static final int CALLERS = 2;

  private final Simulation simulation;
  private final LimiterOptions options;
  private final CompiledPolicy policy;
  private final AdmittedChecker admitted;
  private final RedisModel redis;
  private final RedisWeather weather = new RedisWeather();
  private final WorkloadLog log = new WorkloadLog();
  private final SplittableRandom random;
  private final List<String> faults;
  private final List<LimiterNode> nodes = new ArrayList<>();
  private int lives;

  private LimitRun(Simulation simulation) {
    this.simulation = simulation;
    options = LimiterOptions.draw(simulation.seeds());
    Rule rule = options.rule();
    policy = CompiledPolicy.of(new Policy(LimiterNode.DOMAIN, 1, List.of(rule), Instant.EPOCH));
    admitted =
        new AdmittedChecker(
            options.limit(),
            rule.safeLimitOf(options.nodes()),
            options.nodes(),
            options.alone(),
            options.lent(),
            options.maxCost());
    redis = new RedisModel(simulation);
    random = simulation.random("limit faults");
    faults = List.copyOf(options.faults());
  }

  /** Runs a seed to its end; what it did and what was wrong is in the report. */
  public static RunReport of(long seed) {
    try (Simulation simulation = new Simulation(seed)) {
      LimitRun run = new LimitRun(simulation);
      try {
        run.run();
      } catch (RuntimeException | AssertionError e) {
        run.log.violation(RunReport.stack(e));
      }
      simulation.uncaught().forEach(run.log::violation);
      return RunReport.of(WorkloadKind.LIMITS, seed, run.options.toString(), simulation, run.log);
    }
  }

  private void run() {
    simulation.trace("world", options.toString());
    for (int i = 0; i < options.nodes(); i++) {
      nodes.add(start("limiter" + i));
    }
    nextFault();
    simulation.runUntil(options.seconds() * SECOND);
    log.end();
    simulation.runUntil(simulation.now() + 2 * SECOND);
    simulation.trace("world", "admitted " + admitted.total());
    admitted.check();
  }

  private LimiterNode start(String name) {
    SimulatedProcess process = simulation.process(name, simulation.clock(name + ++lives));
    String life = name + " life " + lives;
    LimiterNode node =
        new LimiterNode(
            process,
            life,
            new RedisLink(process, redis, weather, life),
            policy,
            options,
            admitted,
            log);
    for (int i = 0; i < CALLERS; i++) {
      process.after(random.nextLong(1, 100) * MILLI, node::call);
    }
    return node;
  }

  private void nextFault() {
    if (!faults.isEmpty()) {
      simulation
          .world()
          .after(
              random.nextLong(500, 8000) * MILLI,
              () -> {
                strike(faults.get(random.nextInt(faults.size())));
                nextFault();
              });
    }
  }

  private void strike(String fault) {
    log.count("faults");
    log.count("fault redis " + fault);
    simulation.trace("world", fault);
    long now = simulation.now();
    switch (fault) {
      case "slow" -> lasting(() -> weather.slow(random.nextLong(5, 30) * MILLI));
      case "lossy" -> lasting(() -> weather.lose(random.nextDouble() * 0.6));
      case "down" -> lasting(weather::down);
      case "flush" -> {
        redis.flush();
        admitted.lost(now / 1000);
      }
      case "fail-over" -> {
        redis.failOver(now - random.nextLong(2 * SECOND));
        admitted.lost(now / 1000);
      }
      case "clock-step" -> {
        long micros = random.nextLong(-10_000_000, 10_000_000);
        redis.stepClock(micros);
        if (micros > 0) {
          admitted.clockForward(now / 1000, micros);
        }
      }
      case "kill" -> {
        int which = random.nextInt(nodes.size());
        nodes.get(which).process().kill();
        admitted.restarted(now / 1000);
        nodes.set(which, start("limiter" + which));
      }
      default -> throw new AssertionError(fault);
    }
  }

  private void lasting(Runnable begin) {
    begin.run();
    long millis = random.nextInt(3) == 0 ? random.nextLong(60_000) : random.nextLong(100, 5000);
    simulation.world().after(millis * MILLI, weather::clear);
  }
}
