package dev.plinth.id.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.core.NamespaceDefinition.Dense;
import dev.plinth.id.core.NamespaceDefinition.Numbers;
import dev.plinth.id.core.NamespaceDefinition.Order;
import dev.plinth.id.core.NamespaceDefinition.Snowflake;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What may be changed of a namespace, and when. */
class DefinitionsTest extends CoreTest {
  private static final Numbers NUMBERS = new Numbers(5, 1000, 2, 1);
  private static final Dense DENSE = new Dense(Order.PER_CLIENT, NUMBERS, ranges(7), 9);

  @Test
  void definitions_surviveATakeover() {
    Snowflake js =
        new Snowflake(
            53, new SnowflakeBitLayout(EPOCH, 32, 8, 13, 1000), TTL, Duration.ofSeconds(9), 3);
    define(ORDERS, DENSE);
    define(EVENTS, js);
    takeOver();
    assertEquals(DENSE, ids.status(ORDERS, tx).namespaceDefinition());
    assertEquals(js, ids.status(EVENTS, tx).namespaceDefinition());
    assertEquals(2, define(EVENTS, js).version());
  }

  @Test
  void beforeTheFirstGrant_allButTheFormat_mayChange() {
    define(ORDERS, dense());
    define(ORDERS, DENSE);
    assertEquals(5, first(1));
    fixed("definition.format", ORDERS, snowflake(0));
    define(EVENTS, snowflake(0));
    define(EVENTS, snowflake(1));
    fixed("definition.format", EVENTS, DENSE);
    Snowflake s = snowflake(1);
    fixed(
        "definition.format",
        EVENTS,
        new Snowflake(53, s.snowflakeBitLayout(), s.workerTtl(), s.maxAhead(), 0));
  }

  @Test
  void afterTheFirstGrant_numbersAreFixed_andMaxMayRise() {
    define(ORDERS, DENSE);
    first(1);
    for (boolean afterTakeover : new boolean[] {false, true}) {
      if (afterTakeover) {
        takeOver();
      }
      fixed("definition.order", ORDERS, new Dense(Order.STRICT, NUMBERS, ranges(7), 9));
      fixed("definition.start", ORDERS, with(new Numbers(7, 1000, 2, 1)));
      fixed("definition.step", ORDERS, with(new Numbers(5, 1000, 4, 1)));
      fixed("definition.remainder", ORDERS, with(new Numbers(5, 1000, 2, 0)));
      fixed("definition.max", ORDERS, with(new Numbers(5, 999, 2, 1)));
    }
    assertEquals(DENSE, ids.status(ORDERS, tx).namespaceDefinition());
    define(ORDERS, with(new Numbers(5, 1001, 2, 1)));
    define(ORDERS, new Dense(Order.PER_CLIENT, new Numbers(5, 1001, 2, 1), ranges(0), 0));
  }

  @Test
  void afterTheFirstGrant_aLayoutIsFixed() {
    define(EVENTS, snowflake(3));
    allocate(EVENTS, 1);
    fixed("definition.layout", EVENTS, snowflake(4));
    Snowflake slower =
        new Snowflake(
            63, snowflake(3).snowflakeBitLayout(), Duration.ofSeconds(9), Duration.ofSeconds(1), 5);
    define(EVENTS, slower);
    takeOver();
    fixed("definition.layout", EVENTS, snowflake(4));
  }

  private static Dense with(Numbers numbers) {
    return new Dense(Order.PER_CLIENT, numbers, ranges(7), 9);
  }

  private void fixed(String field, String name, NamespaceDefinition namespaceDefinition) {
    Failure refusal =
        refused(
            ErrorReason.ERROR_REASON_DEFINITION_FIXED,
            () -> ids.put(name, namespaceDefinition, Optional.empty(), tx.next()));
    assertEquals(field, refusal.metadata().get("field"));
    assertEquals(0, tx.writes());
  }

  @Test
  void expectedVersion_isCompared() {
    conflict(1L, "0");
    assertEquals(1, ids.put(ORDERS, DENSE, Optional.of(0L), tx.next()).version());
    conflict(0L, "1");
    assertEquals(2, ids.put(ORDERS, DENSE, Optional.of(1L), tx.next()).version());
  }

  private void conflict(long expected, String current) {
    Failure refusal =
        refused(
            ErrorReason.ERROR_REASON_REVISION_CONFLICT,
            () -> ids.put(ORDERS, DENSE, Optional.of(expected), tx.next()));
    assertEquals(current, refusal.metadata().get("current"));
  }

  @Test
  void unknownNamespace_andWrongFormat_areRefused() {
    refused(ErrorReason.ERROR_REASON_NAMESPACE_UNKNOWN, () -> allocate(ORDERS, 1));
    define(ORDERS, DENSE);
    define(EVENTS, snowflake(1));
    refused(ErrorReason.ERROR_REASON_WRONG_FORMAT, () -> ids.leaseWorker(ORDERS, "ann", tx.next()));
    refused(ErrorReason.ERROR_REASON_WRONG_FORMAT, () -> ids.leaseRange(EVENTS, 1, tx.next()));
    refused(ErrorReason.ERROR_REASON_WRONG_FORMAT, () -> ids.advance(EVENTS, 1, tx.next()));
  }
}
