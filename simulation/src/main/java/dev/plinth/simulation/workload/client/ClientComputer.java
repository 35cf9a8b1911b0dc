package dev.plinth.simulation.workload.client;

import dev.plinth.simulation.kernel.NodeClock;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.workload.SimulatedPlatform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A computer with one client after the other on it. It is paused and put to sleep; its process is
 * killed, or closes its client, and begins anew.
 */
final class ClientComputer {
  private static final long MILLI = 1_000_000;

  private final SimulatedPlatform platform;
  private final Simulation simulation;
  private final String name;
  private final ClientOptions options;
  private final NodeClock clock;
  private final SplittableRandom random;
  private final List<ClientLife> lives = new ArrayList<>();
  private ClientLife current;
  private long awakeSince;
  private boolean slept;

  ClientComputer(SimulatedPlatform platform, String name, ClientOptions options) {
    this.platform = platform;
    this.simulation = platform.simulation();
    this.name = name;
    this.options = options;
    this.clock = simulation.clock(name);
    this.random = simulation.random("computer " + name);
  }

  String name() {
    return name;
  }

  ClientLife current() {
    return current;
  }

  /** Whether no caller runs any more, in any life. */
  boolean hasEnded() {
    for (ClientLife life : lives) {
      if (!life.hasEnded()) {
        return false;
      }
    }
    return true;
  }

  /** A process with a client, and with tasks that use it. */
  void begin(ClientTasks tasks) {
    long drift = platform.options().driftPpm();
    clock.drift(drift == 0 ? 0 : random.nextLong(-drift, drift + 1));
    SimulatedProcess process = simulation.process(name, clock);
    current = new ClientLife(platform, this, process, options, lives.size());
    lives.add(current);
    tasks.start(current);
  }

  void kill() {
    simulation.trace(name, "killed");
    current.process().kill();
    platform.network().died(current.process());
  }

  void pause(long millis) {
    ClientLife life = current;
    life.process().pause();
    awakeSince = Long.MAX_VALUE;
    simulation
        .world()
        .after(
            millis * MILLI,
            () -> {
              life.process().resume();
              awake();
            });
  }

  /** The monotonic clock stands meanwhile. */
  void sleep(long millis) {
    ClientLife life = current;
    life.process().suspend();
    awakeSince = Long.MAX_VALUE;
    slept = true;
    simulation
        .world()
        .after(
            millis * MILLI,
            () -> {
              life.process().wakeUp();
              awake();
            });
  }

  private void awake() {
    awakeSince = simulation.now();
  }

  void wakeUp() {
    if (current == null) {
      return;
    }
    current.process().resume();
    current.process().wakeUp();
    clock.drift(0);
    awake();
  }

  void close() {
    if (current != null) {
      current.close();
    }
  }

  void stepClock(Duration by) {
    clock.step(by);
  }

  /** Neither paused nor asleep. */
  boolean isUp() {
    return awakeSince != Long.MAX_VALUE;
  }

  /** Whether it has run without a break for so long, and never slept. */
  boolean isAwakeFor(long millis) {
    return !slept && isUp() && simulation.now() - awakeSince > millis * MILLI;
  }
}
