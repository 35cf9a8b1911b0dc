package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.core.ReferencePresence.Id;
import dev.plinth.registry.core.ReferencePresence.Sent;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A random walk beside a reference model: sessions that track and untrack in two rooms, calls that
 * come late or twice, sessions that close or fall silent, watchers that come, go, resume and do not
 * read, and owners that die before or after a commit. Every watcher folds what it is told and
 * checks each message against that ({@link FoldingWatcher}).
 */
class PresencePropertyTest extends PresenceCoreTest {
  private static final int STEPS = 6000;
  private static final Duration TICK = Duration.ofMillis(50);
  private static final List<String> ROOMS = List.of("lobby", "attic");

  private Random random;
  private ReferenceRegistry sessions = new ReferenceRegistry();
  private ReferenceRegistry committed = new ReferenceRegistry();
  private final ReferencePresence model = new ReferencePresence();
  private final Set<SessionKey> silent = new HashSet<>();
  private final List<SessionKey> keys = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private final List<Watch> watches = new ArrayList<>();
  private final List<FoldingWatcher> gone = new ArrayList<>();
  private final Map<FoldingWatcher, String> roomOf = new HashMap<>();
  private final Map<String, Integer> outcomes = new HashMap<>();
  private long completeAt;

  private record Watch(FoldingWatcher watcher, PresenceSubscription subscription) {}

  PresencePropertyTest() {
    super(true, 4000);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void roomsAreAsTheModelSays_andWatchersFoldToThem(long seed) {
    random = new Random(seed);
    for (int i = 0; i < STEPS; i++) {
      try {
        step();
        check();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", step " + i + ": " + e.getMessage(), e);
      }
    }
    assertEquals(
        Set.of("TRACKED", "STALE", "EPOCH_CHANGED", "LEFT", "GONE", "SESSION_UNKNOWN"),
        outcomes.keySet(),
        "the walk is too tame");
    assertTrue(
        presenceEvents.cuts > 0
            && presenceEvents.resumed > 0
            && presenceEvents.gaps > 0
            && presenceEvents.coalesced > 0,
        "the walk is too tame");
  }

  private void step() {
    tx.next();
    committed = sessions.copy();
    switch (random.nextInt(30)) {
      case 0 -> openOne();
      case 1, 2, 3, 4, 5, 6, 7, 8 -> send(next(true));
      case 9, 10, 11, 12 -> send(next(false));
      case 13, 14, 15 -> send(anySent());
      case 16, 17 -> watchOne();
      case 18 -> resumeOne();
      case 19 -> leaveOne();
      case 20 -> closeOne();
      case 21 -> fallSilentSometimes();
      case 22 -> presences().progress(tx.nanos());
      default -> tick(1 + random.nextInt(3));
    }
    clock.runDue();
    if (random.nextInt(300) == 0) {
      crash();
    } else {
      tx.commit();
    }
    watches.removeIf(watch -> watch.watcher().end != null && gone.add(watch.watcher()));
  }

  private void openOne() {
    if (sessions.sessions.size() < 6) {
      SessionKey key = open("client");
      keys.add(key);
      sessions.open(key, tx.nanos());
    }
  }

  private Sent next(boolean tracks) {
    if (keys.isEmpty()) {
      openOne();
    }
    int from = random.nextInt(10) == 0 ? 0 : Math.max(0, keys.size() - 5);
    SessionKey session = keys.get(from + random.nextInt(keys.size() - from));
    DeviceName name =
        new DeviceName(
            ROOMS.get(random.nextInt(2)), "k" + random.nextInt(4), "d" + random.nextInt(2));
    String status = tracks ? "s" + random.nextInt(3) : null;
    Sent call = new Sent(new Id(session, name), status, presences().epoch(), nextSeq());
    sent.add(call);
    // Some are lost on their way for now, and come when they are sent again.
    return random.nextInt(5) == 0 ? anySent() : call;
  }

  private Sent anySent() {
    return sent.isEmpty()
        ? next(true)
        : sent.get(sent.size() - 1 - random.nextInt(Math.min(60, sent.size())));
  }

  private void send(Sent call) {
    boolean open = sessions.isOpen(call.id().session());
    String outcome;
    try {
      outcome =
          call.status() == null
              ? presences()
                  .untrack(call.id().session(), call.id().name(), call.seq(), tx.next())
                  .name()
              : track(call).outcome().name();
      assertTrue(open, "a presence outlives its session");
      assertEquals(model.apply(call, presences().epoch()), outcome);
    } catch (Failure refused) {
      assertEquals(ErrorReason.ERROR_REASON_SESSION_UNKNOWN, refused.reason());
      assertFalse(open, "false death");
      outcome = "SESSION_UNKNOWN";
    }
    assertEquals(0, tx.writes(), "nothing is stored");
    outcomes.merge(outcome, 1, Integer::sum);
  }

  private TrackResult track(Sent call) {
    return presences()
        .track(
            call.id().session(),
            call.id().name(),
            Map.of("status", call.status()),
            call.epoch(),
            call.seq(),
            tx.next());
  }

  private void watchOne() {
    if (watches.size() < 8) {
      watch(new FoldingWatcher(), ROOMS.get(random.nextInt(2)), Optional.empty());
    }
    watches.forEach(watch -> watch.watcher().reads &= random.nextInt(60) != 0);
  }

  private void watch(FoldingWatcher watcher, String room, Optional<PresenceNews.Position> after) {
    roomOf.put(watcher, room);
    PresenceSubscription subscription = presences().watch(SPACE, room, watcher, after, tx.next());
    watches.add(new Watch(watcher, subscription));
  }

  private void resumeOne() {
    if (!gone.isEmpty()) {
      FoldingWatcher before = gone.remove(random.nextInt(gone.size()));
      if (before.at != null) {
        watch(FoldingWatcher.after(before), roomOf.get(before), Optional.of(before.at));
      }
    }
  }

  private void leaveOne() {
    if (!watches.isEmpty()) {
      Watch left = watches.remove(random.nextInt(watches.size()));
      left.subscription().leave(tx.next());
      gone.add(left.watcher());
    }
  }

  private void closeOne() {
    if (random.nextInt(3) == 0 && !keys.isEmpty()) {
      SessionKey key = keys.get(keys.size() - 1 - random.nextInt(Math.min(5, keys.size())));
      close(key);
      sessions.close(key);
      model.keep(sessions.sessions.keySet());
    }
  }

  private void fallSilentSometimes() {
    if (random.nextInt(4) == 0 && !keys.isEmpty()) {
      silent.add(keys.get(random.nextInt(keys.size())));
      tick((int) TTL.dividedBy(TICK) * 2);
    }
  }

  /** Those that are not silent beat. */
  private void tick(int ticks) {
    for (int i = 0; i < ticks; i++) {
      for (SessionKey key : sessions.sessions.keySet()) {
        if (!silent.contains(key)) {
          members.sessions().beat(key, null, tx.next());
          sessions.beat(key, tx.nanos());
        }
      }
      clock.advance(TICK);
      sessions.advance(tx.nanos());
      model.keep(sessions.sessions.keySet());
    }
  }

  /** Nothing of this step is durable. Watchers have lost their streams. */
  private void crash() {
    takeOver();
    sessions = committed;
    sessions.takeOver(tx.nanos());
    completeAt = sessions.sessions.isEmpty() ? tx.nanos() : tx.nanos() + TTL.toNanos();
    model.clear();
    watches.forEach(watch -> gone.add(watch.watcher()));
    watches.clear();
  }

  private void check() {
    Optional<Duration> incomplete =
        completeAt > tx.nanos()
            ? Optional.of(Duration.ofNanos(completeAt - tx.nanos()))
            : Optional.empty();
    Map<String, Set<DevicePosition>> present = new HashMap<>();
    for (String room : ROOMS) {
      List<PresenceView> listed = list(room);
      assertEquals(model.list(room), listed.stream().map(PresencePropertyTest::line).toList());
      PresenceNews.Count count = presences().count(SPACE, room, tx);
      long keysThere = listed.stream().map(view -> view.at().key()).distinct().count();
      assertEquals(new PresenceNews.Count((int) keysThere, listed.size(), incomplete), count);
      Set<DevicePosition> all = new TreeSet<>();
      listed.forEach(view -> all.add(view.at()));
      present.put(room, all);
    }
    int devices = present.values().stream().mapToInt(Set::size).sum();
    assertEquals(devices, presenceEvents.devices);
    if (random.nextInt(10) == 0) {
      quiesce();
    }
  }

  /** Once the window is over, who has read all has what a list shows. */
  private void quiesce() {
    tick((int) WINDOW.dividedBy(TICK));
    tx.commit();
    for (Watch watch : watches) {
      if (watch.watcher().end == null) {
        assertEquals(
            list(roomOf.get(watch.watcher())),
            List.copyOf(watch.watcher().folded.values()),
            "watch gap");
      }
    }
  }

  private static String line(PresenceView view) {
    return ReferencePresence.line(
        view.at().key(), view.at().sessionId(), view.at().device(), view.meta().get("status"));
  }
}
