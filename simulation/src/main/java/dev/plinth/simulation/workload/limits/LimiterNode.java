package dev.plinth.simulation.workload.limits;

import dev.plinth.ratelimit.pipeline.Check;
import dev.plinth.ratelimit.pipeline.CompiledPolicy;
import dev.plinth.ratelimit.pipeline.Decision;
import dev.plinth.ratelimit.pipeline.NodeContext;
import dev.plinth.ratelimit.pipeline.PipelineOptions;
import dev.plinth.ratelimit.pipeline.RateLimits;
import dev.plinth.ratelimit.pipeline.ReserveResult.ReserveSpec;
import dev.plinth.ratelimit.policy.Descriptor;
import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.workload.WorkloadLog;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/** A node that decides for its callers, in one life. Its callers ask for more than there is. */
final class LimiterNode {
  static final String DOMAIN = "shop";
  private static final long MILLI = 1_000_000;
  private static final long TICKET_MICROS = 10_000_000;
  private static final long HOARDED = 5_000 * MILLI;
  private static final List<Descriptor> TENANT = List.of(new Descriptor("tenant", "a"));

  private final Simulation simulation;
  private final SimulatedProcess process;
  private final RateLimits limits;
  private final CompiledPolicy policy;
  private final LimiterOptions options;
  private final AdmittedChecker admitted;
  private final WorkloadLog log;
  private final SplittableRandom random;

  LimiterNode(
      SimulatedProcess process,
      String life,
      RedisLink redis,
      CompiledPolicy policy,
      LimiterOptions options,
      AdmittedChecker admitted,
      WorkloadLog log) {
    this.simulation = process.simulation();
    this.process = process;
    this.policy = policy;
    this.options = options;
    this.admitted = admitted;
    this.log = log;
    this.random = simulation.random("limiter " + life);
    SimulatedMachine machine = new SimulatedMachine(process, life);
    ScheduledExecutorService scheduler = machine.scheduler("limits");
    limits =
        new RateLimits(
            redis,
            PipelineOptions.DEFAULTS.withQueues(options.queues()),
            new NodeContext(
                machine, scheduler, options::nodes, 1L << 26, new CountedLimitEvents(log)));
  }

  SimulatedProcess process() {
    return process;
  }

  /** A caller that asks again and again; sometimes in quick succession. */
  void call() {
    if (log.isOver()) {
      return;
    }
    int bursts = random.nextInt(8) == 0 ? options.nodes() * 20 : 1;
    for (int i = 0; i < bursts; i++) {
      if (random.nextInt(10) < (options.hoards() ? 6 : 1)) {
        reserve();
      } else {
        check();
      }
    }
    process.after(random.nextLong(1, 200) * MILLI, this::call);
  }

  private void check() {
    log.count("operations");
    Check check =
        new Check(TENANT, random.nextInt(1, options.maxCost() + 1), false, Optional.empty());
    decided(limits.check(policy, check));
  }

  private void decided(CompletionStage<Decision> decision) {
    decision.whenComplete(
        (made, thrown) -> {
          if (thrown != null) {
            log.violation("a check failed: " + thrown);
          } else {
            log.count("decided by " + made.decidedBy() + " " + made.verdict());
            admitted.admitted(simulation.now() / 1000, made.granted());
          }
        });
  }

  /** Takes budget now, and later says that it used only some of it, or nothing. */
  private void reserve() {
    log.count("operations");
    long cost = random.nextInt(1, options.maxCost() + 1);
    long actual = options.hoards() ? 0 : random.nextLong(cost + 1);
    ReserveSpec spec = new ReserveSpec(TENANT, cost, 0, TICKET_MICROS, Optional.empty());
    limits
        .reserve(policy, spec)
        .whenComplete(
            (made, thrown) -> {
              if (thrown != null) {
                log.count("reserve failed");
              } else if (made.decision().granted() > 0) {
                log.count("reserved by " + made.decision().decidedBy());
                admitted.admitted(simulation.now() / 1000, actual);
                if (!made.id().isEmpty()) {
                  process.after(untilSettled(), () -> settle(made.id(), actual));
                }
              }
            });
  }

  /** Those who hoard settle all their tickets at about the same time. */
  private long untilSettled() {
    return options.hoards()
        ? HOARDED - simulation.now() % HOARDED + random.nextLong(200) * MILLI
        : random.nextLong(1, 4000) * MILLI;
  }

  private void settle(String ticket, long actual) {
    limits
        .settle(DOMAIN, ticket, actual, Optional.empty())
        .whenComplete((made, thrown) -> log.count(thrown == null ? "settled" : "settle failed"));
  }
}
