package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.Simulation;

/** One run of a seed with the clients of one workload: faults, healing, and the checks. */
final class WorkloadRun {
  private static final long SECOND = 1_000_000_000L;
  // Requests that are refused since the memory for them is full wait until others are forgotten.
  private static final long SETTLED_WITHIN = 15 * 60;

  private WorkloadRun() {}

  /** Runs a seed to its end; what it did and what was wrong is in the report. */
  static RunReport of(WorkloadKind kind, long seed, WorkloadFactory factory) {
    try (Simulation simulation = new Simulation(seed)) {
      SwarmOptions options = SwarmOptions.draw(simulation.seeds());
      SimulatedPlatform platform = new SimulatedPlatform(simulation, options);
      WorkloadLog log = platform.log();
      String drawn = options.toString();
      ErrorLogs errors = ErrorLogs.watch(log::violation);
      try {
        Workload workload = factory.on(platform);
        drawn += " " + workload;
        run(platform, workload, drawn);
      } catch (RuntimeException | AssertionError e) {
        log.violation(RunReport.stack(e));
      } finally {
        errors.close();
        platform.close();
      }
      simulation.uncaught().forEach(log::violation);
      return RunReport.of(kind, seed, drawn, simulation, log);
    }
  }

  private static void run(SimulatedPlatform platform, Workload workload, String drawn) {
    Simulation simulation = platform.simulation();
    simulation.trace("world", drawn);
    platform.start();
    workload.start();
    simulation.runUntil(platform.options().seconds() * SECOND);
    platform.log().end();
    platform.heal();
    workload.healed();
    long end = simulation.now() + SETTLED_WITHIN * SECOND;
    if (simulation.runUntil(end, workload::isSettled)) {
      workload.check();
    } else {
      platform.log().violation("not settled long after all is healed: " + workload);
    }
  }
}
