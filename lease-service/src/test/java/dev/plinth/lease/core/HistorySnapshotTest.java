package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.fixture.Answer;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.Write;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HistorySnapshotTest extends CoreTest {
  private static final long BYTES = LeaseApp.HISTORY_BYTES;

  @Test
  void V19_everyGrantAndEnd_isThere_withActorCauseTokenWaitAndHoldTime() {
    long ann = granted(acquire(wish("ann").ttl(LONG))).token();
    Answer<AcquireResult> bob = wait("bob", 0);
    clock.advance(Duration.ofSeconds(4));
    leases.release(PRINTER, ann, tx);
    long token = granted(bob).token();
    leases.confirm(PRINTER, token, Optional.empty(), tx);
    clock.advance(Duration.ofSeconds(3));
    forceRelease(Optional.empty());
    granted(acquire("cid"));
    clock.advance(TTL);
    assertEquals(
        List.of(
            "GRANTED ann by ann waited 0 held 0",
            "ENDED ann RELEASED by ann waited 0 held 4000",
            "GRANTED bob by bob waited 4000 held 0",
            "CONFIRMED bob by bob waited 0 held 0",
            "ENDED bob FORCED by olga waited 0 held 3000 maintenance",
            "GRANTED cid by cid waited 0 held 0",
            "ENDED cid EXPIRED by clock waited 0 held 10000"),
        history().stream().map(HistorySnapshotTest::text).toList());
    assertEquals(ann, history().get(0).hold().token());
    assertEquals(token, history().get(2).hold().token());
  }

  @Test
  void history_survivesATakeover_andGoesOn() {
    leases.release(PRINTER, granted(acquire("ann")).token(), tx);
    List<HistoryEvent> before = history();
    takeOver();
    assertEquals(before, history());
    granted(acquire("bob"));
    assertEquals(3, history().size());
    assertEquals("bob", history().get(2).ownerId());
  }

  @Test
  void history_isARing_andSaysFromWhenItIsComplete() {
    int events = HistoryLog.EVENTS;
    for (int i = 0; i < events / 2; i++) {
      leases.release(PRINTER, granted(acquire("o" + i)).token(), tx.next());
    }
    assertEquals(Optional.empty(), leases.history().completeFrom());
    assertEquals("o0", first());
    clock.advance(Duration.ofSeconds(1));
    Instant later = clock.instant();
    for (int i = 0; i < events / 2; i++) {
      leases.release(PRINTER, granted(acquire("p" + i)).token(), tx.next());
    }
    assertEquals("p0", first());
    assertEquals(Optional.of(later), leases.history().completeFrom());
    takeOver();
    assertEquals("p0", first());
    long rows = tx.rows().keySet().stream().filter(k -> k.startsWith(HistoryLog.PREFIX)).count();
    assertEquals(HistoryLog.EVENTS / HistoryLog.EVENTS_A_ROW, rows);
  }

  @Test
  void eventsOfOneCommit_shareARow_howeverMany_andAreStillBounded() {
    HistoryLog log = new HistoryLog(BYTES);
    granted(acquire("ann"));
    byte[] line = history().get(0).line();
    Map<String, byte[]> stored = new TreeMap<>();
    for (int commit = 0; commit < 2_000; commit++) {
      int events = commit < 500 ? 1 : 100;
      for (int i = 0; i < events; i++) {
        log.add(line);
      }
      Write row = log.seal();
      stored.put(row.key(), row.value());
    }
    int rows = (int) Math.ceil(500 / 16.0);
    assertTrue(stored.size() <= rows + HistoryLog.EVENTS / 100 + 2, stored.size() + " rows");
    HistorySnapshot.Page all =
        log.snapshot().after(HistorySnapshot.Position.START, 1 << 20, e -> true);
    assertTrue(all.entries().size() >= HistoryLog.EVENTS - HistoryLog.EVENTS_A_ROW);
    assertTrue(all.entries().size() <= HistoryLog.EVENTS + 200);
    HistoryLog loaded = new HistoryLog(BYTES);
    stored.forEach((key, value) -> loaded.load(new Row(key, value)));
    assertEquals(log.snapshot().last(), loaded.snapshot().last());
    assertTrue(loaded.snapshot().completeFrom().isPresent());
    assertTrue(
        loaded.snapshot().after(HistorySnapshot.Position.START, 1 << 20, e -> true).entries().size()
            >= HistoryLog.EVENTS - HistoryLog.EVENTS_A_ROW);
  }

  @Test
  void history_isBoundedInBytes_overATakeoverToo() {
    HistoryLog log = new HistoryLog(BYTES);
    granted(acquire(wish("\u6f22".repeat(100)).key("\u6f22".repeat(200))));
    byte[] line = history().get(0).line();
    Map<String, byte[]> stored = new TreeMap<>();
    for (long written = 0; written < 3 * BYTES; written += line.length) {
      log.add(line);
      Write row = log.seal();
      stored.put(row.key(), row.value());
    }
    long limit = BYTES + 2L * HistoryLog.EVENTS_A_ROW * (line.length + 100);
    assertTrue(stored.values().stream().mapToLong(row -> row.length).sum() < limit);
    int kept = everything(log.snapshot());
    assertTrue(kept > BYTES / (line.length + 100), kept + " events");
    HistoryLog loaded = new HistoryLog(BYTES);
    stored.forEach((key, value) -> loaded.load(new Row(key, value)));
    assertTrue(everything(loaded.snapshot()) <= kept);
    assertEquals(log.snapshot().last(), loaded.snapshot().last());
  }

  private static int everything(HistorySnapshot log) {
    return log.after(HistorySnapshot.Position.START, 1 << 20, e -> true).entries().size();
  }

  @Test
  void page_costsWhatItReturns_whereMostEventsAreNotWanted() {
    HistoryLog log = new HistoryLog(BYTES);
    granted(acquire("ann"));
    byte[] line = history().get(0).line();
    for (int i = 0; i < 3500; i++) {
      log.add(line);
      log.seal();
    }
    int[] looked = {0};
    Optional<HistorySnapshot.Position> at = Optional.of(HistorySnapshot.Position.START);
    for (int page = 1; page <= 4; page++) {
      HistorySnapshot.Page found =
          log.snapshot()
              .after(
                  at.orElseThrow(),
                  1,
                  event -> {
                    looked[0]++;
                    return false;
                  });
      assertEquals(Math.min(3500, 1000 * page), looked[0]);
      at = found.next();
    }
    assertEquals(Optional.empty(), at);
  }

  @Test
  void pageToken_atTheEndOfARowThatLeft_missesNothing() {
    HistoryLog log = new HistoryLog(BYTES);
    granted(acquire("ann"));
    byte[] line = history().get(0).line();
    for (int commit = 0; commit < 1_000; commit++) {
      for (int i = 0; i < 100; i++) {
        log.add(line);
      }
      log.seal();
    }
    HistorySnapshot historySnapshot = log.snapshot();
    long first = historySnapshot.firstRow();
    assertTrue(historySnapshot.reaches(new HistorySnapshot.Position(first, 0)));
    assertTrue(historySnapshot.reaches(new HistorySnapshot.Position(first - 1, 99)));
    assertFalse(historySnapshot.reaches(new HistorySnapshot.Position(first - 1, 15)));
    assertFalse(historySnapshot.reaches(new HistorySnapshot.Position(first - 2, 99)));
  }

  @Test
  void pages_joinUp() {
    for (int i = 0; i < 50; i++) {
      leases.release(PRINTER, granted(acquire("o" + i)).token(), tx.next());
    }
    List<HistoryEvent> joined = new ArrayList<>();
    Optional<HistorySnapshot.Position> at = Optional.of(HistorySnapshot.Position.START);
    while (at.isPresent()) {
      HistorySnapshot.Page page =
          leases.history().after(at.get(), 7, e -> e.type() == HistoryEvent.Type.GRANTED);
      assertTrue(page.entries().size() <= 7);
      joined.addAll(page.entries());
      at = page.next();
    }
    assertEquals(50, joined.size());
    assertEquals(
        history().stream().filter(e -> e.type() == HistoryEvent.Type.GRANTED).toList(), joined);
  }

  @Test
  void names_withAnySigns_comeBackAsTheyWere() {
    for (String name : new String[] {"a b", "-", "%2D", "ü/é", "a+b", "x%20y", "_", "."}) {
      granted(acquire(wish(name).key(name)));
      HistoryEvent last = history().get(history().size() - 1);
      assertEquals(name, last.ownerId());
      assertEquals(name, last.name().key());
    }
    takeOver();
    assertEquals(8, held().size());
    assertEquals(List.of("x%20y"), holders("x%20y"));
  }

  private String first() {
    return leases
        .history()
        .after(HistorySnapshot.Position.START, 1, e -> true)
        .entries()
        .get(0)
        .ownerId();
  }

  private static String text(HistoryEvent e) {
    return (e.type()
            + " "
            + e.ownerId()
            + e.cause().map(cause -> " " + cause).orElse("")
            + " by "
            + e.actor()
            + " waited "
            + e.waited().toMillis()
            + " held "
            + e.held().toMillis()
            + " "
            + e.reason())
        .strip();
  }
}
