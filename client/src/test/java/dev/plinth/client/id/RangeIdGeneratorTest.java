package dev.plinth.client.id;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.testkit.Await;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Against a scripted server, in a time that stands still. */
class RangeIdGeneratorTest {
  private static final RangeOptions HASTY = RangeOptions.defaults().timeout(Duration.ofMillis(20));

  private final ScriptedIds server = new ScriptedIds();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void I2_ids_comeInOrder_overRanges() throws Exception {
    server.step = 3;
    RangeIdGenerator ids = server.ids().range("orders");
    for (int i = 0; i < 1000; i++) {
      assertEquals(1 + 3L * i, ids.next());
      server.clock.runDue();
    }
    assertEquals(1000, ids.issued());
  }

  @Test
  void nextRange_isFetchedOnce_whenHalfIsUsed_andSizedAsTheServerSuggests() throws Exception {
    RangeIdGenerator ids = server.ids().range("orders", RangeOptions.defaults().firstRange(7));
    take(ids, 50);
    assertEquals(1, server.leases.size());
    take(ids, 40);
    assertEquals(List.of(7L, 200L), server.leases.stream().map(l -> l.getWant()).toList());
    assertEquals(10, ids.runway());
    server.clock.runDue();
    assertEquals(110, ids.runway());
    assertEquals("ann", server.leases.get(1).getOwnerId());
  }

  @Test
  void usedUpRange_isReported_soThatNoQuotaIsTakenUp() throws Exception {
    RangeIdGenerator ids = server.ids().range("orders");
    take(ids, 99);
    server.clock.runDue();
    take(ids, 2);
    assertEquals("lease-1", server.returns.get(0).getLeaseId());
    assertEquals(100, server.returns.get(0).getUsed());
  }

  @Test
  void bulk_fillsTheArray_overRanges() throws Exception {
    RangeIdGenerator ids = server.ids().range("orders");
    long[] first = new long[70];
    ids.next(first);
    server.clock.runDue();
    long[] second = new long[60];
    ids.next(second);
    assertArrayEquals(LongStream.rangeClosed(1, 70).toArray(), first);
    assertArrayEquals(LongStream.rangeClosed(71, 130).toArray(), second);
    assertEquals(131, ids.next());
    assertEquals(131, ids.issued());
    ids.next(new long[0]);
    assertEquals(132, ids.next());
  }

  @Test
  void I5_rangeEnds_atItsDeadline() throws Exception {
    RangeIdGenerator ids = server.ids().range("orders");
    take(ids, 60);
    server.clock.runDue();
    take(ids, 3);
    server.clock.advance(ScriptedIds.VALID.minusNanos(1));
    assertEquals(64, ids.next());
    take(ids, 2); // within a block, where no caller looks at the clock
    server.clock.advance(Duration.ofNanos(1));
    assertEquals(0, ids.runway());
    // The one that was fetched ahead is as old.
    CompletableFuture<Long> next = CompletableFuture.supplyAsync(ids::next);
    pumpUntilDone(next);
    assertEquals(201, next.join());
  }

  @Test
  void I5_afterAPauseOfTheProcess_fewerThanABlockAreHandedOut() throws Exception {
    server.size = 100_000;
    RangeIdGenerator ids = server.ids().range("orders", HASTY);
    take(ids, 10);
    server.suspend(ScriptedIds.VALID);
    int late = 0;
    try {
      while (late < 5000) {
        ids.next();
        late++;
      }
    } catch (IdsUnavailableException e) {
      // The next range would have to come by a thread that has not run yet.
    }
    assertTrue(late < 1024, "late: " + late);
  }

  @Test
  void usedUp_andNoAnswer_isATypedFailure_andPasses() throws Exception {
    RangeIdGenerator ids = server.ids().range("orders", HASTY);
    server.failure = Status.UNAVAILABLE;
    take(ids, 100);
    IdsUnavailableException none = assertThrows(IdsUnavailableException.class, ids::next);
    assertTrue(none.getMessage().contains("orders"), none.getMessage());
    server.clock.advance(Duration.ofMinutes(1));
    IdsUnavailableException still = assertThrows(IdsUnavailableException.class, ids::next);
    assertInstanceOf(CallFailedException.class, still.getCause());
    server.failure = Status.OK;
    server.clock.advance(Duration.ofMinutes(1));
    assertEquals(101, ids.next());
    long kinds = server.leases.stream().map(l -> l.getRequestId()).distinct().count();
    assertTrue(server.leases.size() > 3 && kinds == 2, "one request id until it is answered");
  }

  @Test
  void refusal_endsTheFetch_andTheNextCallerAsksAnew() throws Exception {
    RangeIdGenerator ids = server.ids().range("orders", RangeOptions.defaults());
    server.failure = Status.FAILED_PRECONDITION;
    take(ids, 100);
    server.clock.runDue();
    int asked = server.leases.size();
    CompletableFuture<Long> refused = CompletableFuture.supplyAsync(ids::next);
    pumpUntilDone(refused);
    CompletionException thrown = assertThrows(CompletionException.class, refused::join);
    assertInstanceOf(IdsUnavailableException.class, thrown.getCause());
    assertEquals(asked + 1, server.leases.size());
    server.failure = Status.OK;
    CompletableFuture<Long> next = CompletableFuture.supplyAsync(ids::next);
    pumpUntilDone(next);
    assertEquals(101, next.join());
  }

  @Test
  void refusedPrefetch_isNotTriedAgainAtOnce() throws Exception {
    RangeIdGenerator ids = server.ids().range("orders", HASTY);
    server.failure = Status.FAILED_PRECONDITION;
    for (int i = 0; i < 90; i++) {
      ids.next();
      server.clock.runDue();
    }
    assertEquals(2, server.leases.size());
    server.clock.advance(Duration.ofSeconds(1));
    take(ids, 10);
    assertEquals(3, server.leases.size());
  }

  @Test
  void close_givesBackBothRanges_theNewerFirst() throws Exception {
    RangeIdGenerator ids = server.ids().range("orders");
    take(ids, 70);
    server.clock.runDue();
    ids.close();
    assertEquals(
        List.of("lease-2 0", "lease-1 70"),
        server.returns.stream().map(r -> r.getLeaseId() + " " + r.getUsed()).toList());
    assertThrows(IllegalStateException.class, ids::next);
    assertThrows(IllegalStateException.class, () -> ids.next(new long[1]));
    ids.close();
    assertEquals(2, server.returns.size());
    assertEquals(0, ids.runway());
    assertEquals(70, ids.issued());
  }

  @Test
  void closeOfTheClient_givesBackToo_andWakesThoseWhoWait() throws Exception {
    RangeIdGenerator ids =
        server.ids().range("orders", RangeOptions.defaults().timeout(Duration.ofHours(1)));
    server.failure = Status.UNAVAILABLE;
    take(ids, 100);
    CompletableFuture<Long> waiting = CompletableFuture.supplyAsync(ids::next);
    Await.until("it asked", () -> server.leases.size() > 1);
    server.clock.runDue();
    server.failure = Status.OK;
    server.client().close();
    Await.until("woken", waiting::isDone);
    CompletionException thrown = assertThrows(CompletionException.class, waiting::join);
    assertInstanceOf(IllegalStateException.class, thrown.getCause());
    assertEquals("lease-1", server.returns.get(0).getLeaseId());
  }

  @Test
  void interrupt_endsTheWait_andStaysSet() throws Exception {
    RangeIdGenerator ids =
        server.ids().range("orders", RangeOptions.defaults().timeout(Duration.ofHours(1)));
    server.failure = Status.UNAVAILABLE;
    take(ids, 100);
    Thread.currentThread().interrupt();
    assertThrows(IdsUnavailableException.class, ids::next);
    assertTrue(Thread.interrupted());
  }

  @Test
  void refusalOfTheFirstRange_isTheCallersAtOnce() {
    server.failure = Status.NOT_FOUND;
    assertThrows(CallFailedException.class, () -> server.ids().range("orders"));
  }

  private static void take(RangeIdGenerator ids, int count) {
    for (int i = 0; i < count; i++) {
      ids.next();
    }
  }

  private void pumpUntilDone(CompletableFuture<?> future) {
    Await.until(
        "done",
        () -> {
          server.clock.runDue();
          return future.isDone();
        });
  }
}
