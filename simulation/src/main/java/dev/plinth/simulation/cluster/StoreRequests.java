package dev.plinth.simulation.cluster;

import dev.plinth.simulation.kernel.SimulatedMachine;
import dev.plinth.simulation.kernel.SimulatedProcess;
import dev.plinth.simulation.network.SimulatedNetwork;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Requests of a node to the store, each a message there and one back. Some are lost on either way,
 * or arrive late; then the node hears nothing.
 */
final class StoreRequests {
  private static final long TIMEOUT_MILLIS = 1000;

  private final SimulatedNetwork network;
  private final SimulatedMachine machine;
  private final SplittableRandom random;
  private final ScheduledExecutorService timeouts;
  private final StoreFaults faults;

  StoreRequests(SimulatedNetwork network, SimulatedMachine machine, StoreFaults faults) {
    this.network = network;
    this.machine = machine;
    this.faults = faults;
    this.random = machine.process().simulation().random(machine.process().name() + " store");
    this.timeouts = machine.scheduler("store");
  }

  /** Fails with TimeoutException when no answer came: it may have been done, or be done later. */
  <T> CompletableFuture<T> send(Supplier<T> request) {
    SimulatedProcess node = machine.process();
    SimulatedProcess world = node.simulation().world();
    CompletableFuture<T> answer = new CompletableFuture<>();
    timeouts.schedule(
        () -> answer.completeExceptionally(new TimeoutException("no answer of the store")),
        TIMEOUT_MILLIS,
        TimeUnit.MILLISECONDS);
    if (random.nextDouble() < faults.requestLost()) {
      return answer;
    }
    long work = 200_000 + random.nextLong(faults.delayNanos());
    network.message(
        node,
        node.name(),
        MemoryStoreEngine.COMPUTER,
        world,
        () ->
            world.after(
                work,
                () -> {
                  T done = request.get();
                  if (random.nextDouble() >= faults.answerLost()) {
                    network.message(
                        world,
                        MemoryStoreEngine.COMPUTER,
                        node.name(),
                        node,
                        () -> answer.complete(done));
                  }
                }));
    return answer;
  }
}
