package dev.plinth.simulation.workload.client;

import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.workload.SimulatedPlatform;
import java.util.ArrayList;
import java.util.List;

/** The computers with real clients of a run, {@code client0} and so on, and what befalls them. */
public final class ClientCrowd {
  private static final long SECOND = 1_000_000_000L;
  private static final long CLOSED_WITHIN = 60;

  private final SimulatedPlatform platform;
  private final ClientOptions options;
  private final ClientTasks tasks;
  private final List<ClientComputer> computers = new ArrayList<>();

  /**
   * @param tasks started in each life of each client
   */
  public ClientCrowd(SimulatedPlatform platform, int size, ClientTasks tasks) {
    this.platform = platform;
    this.tasks = tasks;
    this.options = ClientOptions.draw(platform.simulation().seeds());
    for (int i = 0; i < size; i++) {
      computers.add(new ClientComputer(platform, "client" + i, options));
    }
  }

  ClientOptions options() {
    return options;
  }

  public int size() {
    return computers.size();
  }

  public void start() {
    computers.forEach(computer -> computer.begin(tasks));
    new ClientFaults(platform, computers, options, tasks).start();
  }

  /** Nothing befalls them any more. */
  public void heal() {
    computers.forEach(ClientComputer::wakeUp);
  }

  /** Whether no caller of theirs runs any more. */
  public boolean haveEnded() {
    for (ClientComputer computer : computers) {
      if (!computer.hasEnded()) {
        return false;
      }
    }
    return true;
  }

  /** Closes all of them, and lets time pass until they are. */
  public void close() {
    computers.forEach(ClientComputer::close);
    Simulation simulation = platform.simulation();
    if (!simulation.runUntil(simulation.now() + CLOSED_WITHIN * SECOND, this::haveEnded)) {
      throw new AssertionError("a client has not closed, or a caller of it waits on");
    }
  }

  @Override
  public String toString() {
    return options.toString();
  }
}
