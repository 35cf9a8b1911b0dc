package dev.plinth.simulation.workload.client;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import dev.plinth.simulation.kernel.BlockingTask;
import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.network.SpreadChannel;
import dev.plinth.simulation.workload.RunReport;
import dev.plinth.simulation.workload.SimulatedPlatform;
import dev.plinth.simulation.workload.WorkloadLog;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** A process with a real client, from its start until it is killed or its client is closed. */
public final class ClientLife {
  /** Nothing that a client asks for here is refused so. */
  private static final Set<Status.Code> BUGS =
      EnumSet.of(
          Status.Code.INTERNAL,
          Status.Code.UNKNOWN,
          Status.Code.DATA_LOSS,
          Status.Code.UNIMPLEMENTED,
          Status.Code.INVALID_ARGUMENT,
          Status.Code.PERMISSION_DENIED);

  private final SimulatedPlatform platform;
  private final ClientComputer computer;
  private final SimulatedProcess process;
  private final SimulatedMachine machine;
  private final SplittableRandom random;
  private final PlinthClient client;
  private final String name;
  private final List<BlockingTask> tasks = new ArrayList<>();
  private boolean closing;
  private int running;

  ClientLife(
      SimulatedPlatform platform,
      ClientComputer computer,
      SimulatedProcess process,
      ClientOptions options,
      int number) {
    this.platform = platform;
    this.computer = computer;
    this.process = process;
    name = computer.name() + "-" + number;
    machine = new SimulatedMachine(process, name);
    random = platform.simulation().random("life " + name);
    client =
        PlinthClient.builder(channel(options.has("in-turn")))
            .machine(machine)
            .owner(name)
            .sessionTtl(options.ttl())
            .callDeadline(Duration.ofMillis(random.nextInt(300, 3000)))
            .operationTimeout(Duration.ofMillis(random.nextInt(1000, 10_000)))
            .build();
  }

  private ManagedChannel channel(boolean inTurn) {
    List<ManagedChannel> channels =
        platform.addresses().stream()
            .map(address -> platform.network().channel(machine, address))
            .toList();
    return new SpreadChannel(channels, random.nextInt(channels.size()), inTurn);
  }

  public String name() {
    return name;
  }

  public PlinthClient client() {
    return client;
  }

  SimulatedProcess process() {
    return process;
  }

  ClientComputer computer() {
    return computer;
  }

  public SplittableRandom random() {
    return random;
  }

  public WorkloadLog log() {
    return platform.log();
  }

  public long now() {
    return platform.simulation().now();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Its callers begin nothing new. */
  public boolean isOver() {
    return closing || log().isOver();
  }

  boolean isClosing() {
    return closing;
  }

  /** Whether nothing of it runs any more; a dead one has nothing that could. */
  boolean hasEnded() {
    return !isAlive() || running == 0;
  }

  public void pause(long millis) throws InterruptedException {
    machine.pause(Duration.ofMillis(millis));
  }

  /** What runs on a thread of the application's. */
  public interface CallerBody {
    void run() throws InterruptedException;
  }

  /** Runs again and again, whatever interrupts it, until the work is over. */
  public void caller(String what, CallerBody turn) {
    running++;
    task(what, () -> run(turn));
  }

  /** As {@link #caller}, for one that ends with the client alone. */
  void listener(String what, CallerBody turn) {
    task(what, () -> repeat(turn, () -> closing));
  }

  private void task(String what, Runnable body) {
    BlockingTask task = platform.simulation().task(process, what, body);
    tasks.add(task);
    task.done()
        .exceptionally(
            thrown -> {
              log().violation(name + ", " + what + ": " + RunReport.stack(thrown));
              return null;
            });
  }

  private void run(CallerBody turn) {
    repeat(turn, this::isOver);
    running--;
  }

  private void repeat(CallerBody turn, BooleanSupplier over) {
    while (!over.getAsBoolean()) {
      try {
        turn(turn);
        pause(random.nextInt(1, 300));
      } catch (InterruptedException e) {
        log().count("interrupted");
      }
    }
  }

  private void turn(CallerBody turn) throws InterruptedException {
    try {
      turn.run();
    } catch (CallFailedException e) {
      log().count("refused " + e.code() + " " + e.reason());
      if (BUGS.contains(e.code())) {
        log().violation(name + ": " + e);
      }
    } catch (IllegalStateException e) {
      if (!closing) {
        throw e;
      }
    }
  }

  void interruptOne() {
    if (!tasks.isEmpty()) {
      tasks.get(random.nextInt(tasks.size())).interrupt();
    }
  }

  /** Closes the client, whatever its threads are doing. */
  void close() {
    closing = true;
    running++;
    task(
        "close",
        () -> {
          client.close();
          running--;
        });
  }

  @Override
  public String toString() {
    return name;
  }
}
