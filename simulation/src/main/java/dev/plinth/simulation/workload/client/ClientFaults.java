package dev.plinth.simulation.workload.client;

import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.workload.SimulatedPlatform;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** What befalls clients, of the kinds that the seed drew, until all is healed. */
final class ClientFaults {
  private static final long MILLI = 1_000_000;
  private static final List<String> KINDS =
      List.of("interrupts", "interrupts", "closes", "kills", "pauses", "sleeps", "clock-steps");

  /** Longer than what a client may take for the inaccuracy of its clocks. */
  private static final int LEAST_SLEEP = 1500;

  private final SimulatedPlatform platform;
  private final Simulation simulation;
  private final List<ClientComputer> computers;
  private final List<String> kinds;
  private final ClientTasks tasks;
  private final SplittableRandom random;

  ClientFaults(
      SimulatedPlatform platform,
      List<ClientComputer> computers,
      ClientOptions options,
      ClientTasks tasks) {
    this.platform = platform;
    this.simulation = platform.simulation();
    this.computers = computers;
    this.kinds = KINDS.stream().filter(options::has).toList();
    this.tasks = tasks;
    this.random = simulation.random("client faults");
  }

  void start() {
    if (!kinds.isEmpty()) {
      simulation.world().after(random.nextLong(50, 3000) * MILLI, this::next);
    }
  }

  private void next() {
    if (platform.log().isOver()) {
      return;
    }
    ClientComputer computer = computers.get(random.nextInt(computers.size()));
    String kind = kinds.get(random.nextInt(kinds.size()));
    if (computer.isUp()) {
      platform.log().count("client " + kind);
      simulation.trace("world", kind + " at " + computer.name());
      strike(kind, computer);
    }
    start();
  }

  private void strike(String kind, ClientComputer computer) {
    switch (kind) {
      case "interrupts" -> computer.current().interruptOne();
      case "closes" -> {
        computer.current().close();
        computer.begin(tasks);
      }
      case "kills" -> {
        computer.kill();
        computer.begin(tasks);
      }
      case "pauses" -> computer.pause(random.nextLong(50, 10_000));
      case "sleeps" -> computer.sleep(random.nextLong(LEAST_SLEEP, 10_000));
      case "clock-steps" ->
          computer.stepClock(Duration.ofMillis(random.nextLong(-3_600_000, 3_600_000)));
      default -> throw new AssertionError(kind);
    }
  }
}
