package dev.plinth.shards.store.etcd;

import static dev.plinth.shards.store.etcd.Stores.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.Threads;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import dev.plinth.testkit.FaultProxy.Direction;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nodes that take turns at one counter, each commit one more, while the network and the leases
 * fail. A number that two commits were told done, or that is gone later, is a broken fence.
 */
@Tag("engine")
class EtcdNemesisTest {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension final Stores stores = new Stores(ETCD);

  private final Queue<Integer> done = new ConcurrentLinkedQueue<>();
  private volatile boolean stop;

  @Test
  void counterOfManyOwners_losesNothing_andCountsNothingTwice() {
    List<FaultProxy> proxies = List.of(stores.proxy(), stores.proxy(), stores.proxy());
    List<CompletableFuture<Void>> nodes = new ArrayList<>();
    for (FaultProxy proxy : proxies) {
      EtcdShardStore store =
          stores.open(proxy.address(), "node-" + nodes.size(), stores.settings(2));
      nodes.add(
          CompletableFuture.runAsync(
              () -> countUntilStopped(store),
              task -> Threads.daemons("node").newThread(task).start()));
    }
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(20260102);
    for (int i = 0; i < 40; i++) {
      fail(proxies.get(random.nextInt(3)), random);
      int seen = done.size();
      if (random.nextInt(3) == 0) {
        proxies.forEach(FaultProxy::heal);
        Await.until("somebody counts on", () -> done.size() > seen);
      }
      LockSupport.parkNanos(
          TimeUnit.MILLISECONDS.toNanos(random.nextInt(150))); // for the fault to do its worst
    }
    proxies.forEach(FaultProxy::heal);
    stop = true;
    nodes.forEach(node -> node.orTimeout(60, TimeUnit.SECONDS).join());
    OwnedShard shard = Stores.claim(stores.open("last", 2), 0);
    assertEquals(done.stream().distinct().count(), done.size(), "numbers told done twice");
    assertTrue(load(shard) >= done.stream().mapToInt(n -> n).max().orElseThrow());
  }

  private void fail(FaultProxy proxy, RandomGenerator random) {
    switch (random.nextInt(7)) {
      case 0 -> proxy.drop(Direction.TO_CLIENT);
      case 1 -> proxy.drop(Direction.TO_SERVER);
      case 2 -> proxy.halfOpen();
      case 3 -> proxy.cut();
      case 4 -> proxy.delay(Duration.ofMillis(random.nextInt(100)));
      case 5 ->
          stores
              .find(stores.etcdKeys.owner(0))
              .ifPresent(owner -> stores.client().getLeaseClient().revoke(owner.getLease()));
      default -> proxy.heal();
    }
  }

  private void countUntilStopped(EtcdShardStore store) {
    while (!stop) {
      try {
        Optional<OwnedShard> mine = store.claim(0);
        if (mine.isPresent()) {
          count(mine.get());
        }
      } catch (StoreUnavailable e) {
        // The next turn may do better.
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  /** A few at once, until one fails or it is another's turn. */
  private void count(OwnedShard shard) {
    try {
      int counter = load(shard);
      int next = counter + 1;
      Queue<CompletableFuture<CommitResult>> inFlight = new ArrayDeque<>();
      for (int i = 0; i < 300 && !stop; i++) {
        inFlight.add(shard.commit(List.of(put("counter", "" + ++counter))));
        if (inFlight.size() == 4) {
          if (!Stores.isDone(inFlight.remove())) {
            return;
          }
          done.add(next++);
        }
      }
      for (CompletableFuture<CommitResult> commit : inFlight) {
        if (!Stores.isDone(commit)) {
          return;
        }
        done.add(next++);
      }
    } finally {
      shard.release();
    }
  }

  /** Every commit adds one, so the counter and the number of commits never part. */
  private static int load(OwnedShard shard) {
    int counter = Integer.parseInt(Stores.rows(shard).getOrDefault("counter", "0"));
    assertEquals(shard.revision(), counter);
    return counter;
  }
}
