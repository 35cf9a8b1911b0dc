package dev.plinth.simulation.workload;

import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.kernel.Simulation;
import dev.plinth.simulation.network.SimulatedNetwork;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A client process with a channel to each node and no threads: it acts when it hears something. */
public final class WireClient {
  private final SimulatedMachine machine;
  private final ScheduledExecutorService scheduler;
  private final SplittableRandom random;
  private final List<Channel> channels = new ArrayList<>();
  private final WorkloadLog log;
  private int served;
  private int requests;
  private int turns;
  private int steps;

  public WireClient(SimulatedNetwork network, Simulation simulation, String name, Setting setting) {
    SimulatedProcess process = simulation.process(name, simulation.clock(name));
    machine = new SimulatedMachine(process, name);
    scheduler = machine.scheduler("client");
    random = simulation.random(name);
    log = setting.log();
    setting.addresses().forEach(address -> channels.add(network.channel(machine, address)));
    served = random.nextInt(channels.size());
  }

  /** Where the nodes are, and where clients write down what they see. */
  public record Setting(List<String> addresses, WorkloadLog log) {}

  public String name() {
    return machine.process().name();
  }

  public SimulatedMachine machine() {
    return machine;
  }

  public SplittableRandom random() {
    return random;
  }

  /** Begins its next turn; false if the run has none of it. */
  boolean beginTurn() {
    turns++;
    steps = 0;
    return has("turn " + turns);
  }

  /** For the choices of this turn alone: whatever was left out before, they are the same. */
  SplittableRandom turnRandom() {
    return machine.process().simulation().random(name() + " turn " + turns);
  }

  /** Begins the next step of its turn; false if the run has none of it. */
  boolean beginStep() {
    return has("turn " + turns + " step " + ++steps);
  }

  /** Whether the run has a part of this client. */
  boolean has(String part) {
    return machine.process().simulation().parts().has(name() + " " + part);
  }

  public WorkloadLog log() {
    return log;
  }

  public int nodes() {
    return channels.size();
  }

  public Channel channel(int node) {
    return channels.get(node);
  }

  /** The node that answered last. */
  public int served() {
    return served;
  }

  public void served(int node) {
    served = node;
  }

  public String newRequestId() {
    return name() + "-" + ++requests;
  }

  public void after(long millis, Runnable task) {
    scheduler.schedule(task, millis, TimeUnit.MILLISECONDS);
  }

  public long now() {
    return machine.process().simulation().now();
  }

  public void trace(String what) {
    machine.process().simulation().trace(name(), what);
  }
}
