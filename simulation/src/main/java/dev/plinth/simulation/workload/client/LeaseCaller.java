package dev.plinth.simulation.workload.client;

import dev.plinth.client.lease.AcquireOptions;
import dev.plinth.client.lease.LeaseClient;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.client.lease.LeaseLostException;
import dev.plinth.client.lease.LeaseSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A thread of an application that takes leases, works under them, and gives them back. */
final class LeaseCaller {
  static final String NAMESPACE = "clients";

  private final ClientLife life;
  private final ClientOptions options;
  private final BeliefChecker beliefs;
  private final GuardedRegister register;
  private final LeaseClient leases;
  private final SplittableRandom random;

  LeaseCaller(
      ClientLife life, ClientOptions options, BeliefChecker beliefs, GuardedRegister register) {
    this.life = life;
    this.options = options;
    this.beliefs = beliefs;
    this.register = register;
    this.leases = life.client().leases(NAMESPACE);
    this.random = life.random();
  }

  /** Takes something once, and holds it for a while. */
  void turn() throws InterruptedException {
    life.log().count("operations");
    long asked = life.now();
    boolean shared = options.has("shared") && random.nextInt(3) == 0;
    List<LeaseHandle> handles = acquire(shared);
    List<HeldLease> taken = new ArrayList<>();
    try {
      for (LeaseHandle handle : handles) {
        life.log().count("grants");
        HeldLease held = new HeldLease(life, handle, shared, asked);
        taken.add(held);
        beliefs.granted(held);
        handle.onLost(held::toldOfLoss);
      }
      for (HeldLease held : taken) {
        work(held);
      }
    } finally {
      taken.forEach(HeldLease::givesBack);
      handles.forEach(LeaseHandle::close);
    }
  }

  private List<LeaseHandle> acquire(boolean shared) throws InterruptedException {
    int first = random.nextInt(options.keys());
    AcquireOptions how = AcquireOptions.defaults();
    how = shared ? how.shared() : how;
    Duration wait =
        random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextInt(10, 8000));
    if (options.has("sets") && options.keys() > 1 && !shared && random.nextInt(4) == 0) {
      List<LeaseSpec> specs =
          List.of(
              LeaseSpec.exclusive("key" + first),
              LeaseSpec.exclusive("key" + (first + 1) % options.keys()));
      return leases.acquireSet(specs, wait).map(set -> set.leases()).orElse(List.of());
    }
    return leases.acquire("key" + first, wait, how).map(List::of).orElse(List.of());
  }

  private void work(HeldLease held) throws InterruptedException {
    long end = life.now() + random.nextLong(2 * options.ttl().toNanos());
    while (life.now() < end && !life.isOver() && held.isBelieved()) {
      write(held);
      life.pause(random.nextInt(1, 200));
    }
    if (held.isLost() && !life.isClosing()) {
      life.log().count("losses");
      life.pause(500);
      life.pause(500);
      if (held.told() != 1 && life.computer().isAwakeFor(1000)) {
        life.log().violation("a loss was not told once: " + held);
      }
    }
  }

  private void write(HeldLease held) {
    try {
      register.write(held.key(), held.handle().requireHeld(), life.process());
    } catch (LeaseLostException e) {
      life.log().count("lost before a write");
    }
  }
}
