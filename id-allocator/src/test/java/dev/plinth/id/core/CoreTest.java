package dev.plinth.id.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Numbers;
import dev.plinth.id.core.NamespaceDefinition.Order;
import dev.plinth.id.core.NamespaceDefinition.Ranges;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.ManualTx;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;

/** A shard's namespaces on a clock that the test moves, with commits when the test says. */
abstract class CoreTest {
  static final String ORDERS = "orders";
  static final String EVENTS = "events";
  static final Duration TTL = Duration.ofSeconds(30);
  static final long EPOCH = 1_735_689_600_000L;

  final ManualClock clock = new ManualClock();
  final ManualTx tx = ManualTx.held(clock);
  final CountedEvents events = new CountedEvents();
  private final IdApp app = new IdApp(clock, events);
  Namespaces ids = app.open(tx.stored(), tx);

  @AfterEach
  final void checkRows() {
    assertEquals(0, tx.deleted(), "nothing of ids is ever deleted");
    assertEquals(0, tx.tokensGiven(), "ids need no tokens");
  }

  static Dense dense() {
    return dense(Long.MAX_VALUE);
  }

  static Dense dense(long max) {
    return new Dense(Order.PER_CLIENT, new Numbers(1, max, 1, 0), ranges(0), 0);
  }

  static Ranges ranges(long maxOutstanding) {
    return new Ranges(10, 1000, Duration.ofHours(1), maxOutstanding);
  }

  static Snowflake snowflake(int workerBits) {
    return snowflake(new SnowflakeBitLayout(EPOCH, 41, workerBits, 22 - workerBits, 1));
  }

  static Snowflake snowflake(SnowflakeBitLayout snowflakeBitLayout) {
    return new Snowflake(63, snowflakeBitLayout, TTL, Duration.ofSeconds(5), 0);
  }

  final IdNamespaceStatus define(String name, NamespaceDefinition namespaceDefinition) {
    IdNamespaceStatus idNamespaceStatus =
        ids.put(name, namespaceDefinition, Optional.empty(), tx.next());
    tx.commit();
    return idNamespaceStatus;
  }

  /** As the next owner of the shard does it, after a crash. */
  final void takeOver() {
    tx.crash();
    app.close(ids);
    assertEquals(SequenceLedger.EMPTY, events.sequenceLedger, "what was counted is taken back");
    assertEquals(0, events.workers);
    ids = app.open(tx.stored(), tx.next());
  }

  final Allocation<AllocatedIds> allocate(String name, int count) {
    return ids.allocate(name, count, tx.next());
  }

  /** The first id of those, once it is durable. */
  final long first(int count) {
    long first = allocate(ORDERS, count).value().first();
    tx.commit();
    return first;
  }

  final RangeView lease(long want) {
    RangeView range = ids.leaseRange(ORDERS, want, tx.next()).value();
    tx.commit();
    return range;
  }

  final WorkerView leaseWorker(String owner) {
    LeaseWorkerResult leased = ids.leaseWorker(EVENTS, owner, tx.next());
    tx.commit();
    return assertInstanceOf(LeaseWorkerResult.Leased.class, leased).worker();
  }

  final IdNamespaceStatus.DenseProgress progress() {
    return (IdNamespaceStatus.DenseProgress) ids.status(ORDERS, tx).progress();
  }

  static Failure refused(ErrorReason reason, Runnable call) {
    Failure failure = assertThrows(Failure.class, call::run);
    assertEquals(reason, failure.reason(), failure.getMessage());
    return failure;
  }
}
