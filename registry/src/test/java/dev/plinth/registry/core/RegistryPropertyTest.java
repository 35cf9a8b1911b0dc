package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A random walk beside a reference model: sessions that open, beat, fall silent, lose their streams
 * and close, registrations, calls that come late or twice, owners that die before or after a
 * commit, and a wall clock that jumps. All deadlines are whole ticks, so the model knows each to
 * the tick.
 */
class RegistryPropertyTest extends CoreTest {
  private static final int STEPS = 8000;
  private static final long TICK = Duration.ofMillis(500).toNanos();
  private static final long TTL_NANOS = TTL.toNanos();
  private static final Set<ErrorReason> EXPECTED =
      Set.of(
          ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
          ErrorReason.ERROR_REASON_MEMBER_UNKNOWN,
          ErrorReason.ERROR_REASON_INCARNATION_STALE);

  private Random random;
  private ReferenceRegistry model = new ReferenceRegistry();
  private ReferenceRegistry committed = new ReferenceRegistry();
  private final List<SessionKey> keys = new ArrayList<>();
  private final List<MemberView> seen = new ArrayList<>();
  private long highestIncarnation;
  private final Map<MemberName, MemberView> folded = new TreeMap<>(ORDER);
  private final Set<Long> endedOnce = new HashSet<>();
  private final Map<String, List<Long>> deaths = new HashMap<>();
  private final Map<MemberEnd.Cause, Integer> causes = new HashMap<>();
  private boolean released;

  /** Most sessions are cut off for a while. */
  private boolean partitioned;

  private static final Comparator<MemberName> ORDER = Comparator.comparing(MemberName::path);

  RegistryPropertyTest() {
    super(true);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void R1_R2_R3_R4_R5_holdAfterEveryStep(long seed) {
    random = new Random(seed);
    for (int i = 0; i < STEPS; i++) {
      try {
        step();
        check();
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", step " + i + ": " + e.getMessage(), e);
      }
    }
    assertTrue(causes.size() >= 5, "the walk is too tame: " + causes);
  }

  private void step() {
    released = false;
    tx.next();
    committed = model.copy();
    try {
      switch (random.nextInt(40)) {
        case 0 -> openOne();
        case 1, 2, 3, 4 -> registerOne();
        case 5, 6, 7, 8, 9 -> beatMany();
        case 10 -> beatByStream();
        case 11 -> replay();
        case 12 -> deregisterOne();
        case 13 -> closeOne();
        case 14 -> releaseSometimes();
        case 15 -> clock.stepWall(Duration.ofMinutes(random.nextInt(120) - 60));
        default -> tick();
      }
    } catch (Failure refused) {
      assertTrue(EXPECTED.contains(refused.reason()), refused::getMessage);
      assertEquals(0, tx.writes(), "a refusal changes nothing");
    }
    clock.runDue();
    if (random.nextInt(400) == 0) {
      crash();
    } else {
      tx.commit();
    }
  }

  /** Nothing of this step is durable; the next owner knows what was before. */
  private void crash() {
    takeOver();
    model = committed;
    model.takeOver(now());
  }

  private long now() {
    return tx.nanos();
  }

  private void tick() {
    tx.next();
    clock.advance(Duration.ofNanos(TICK));
    model.advance(now());
  }

  private void openOne() {
    if (model.sessions.size() < 25) {
      SessionKey key = open("client");
      keys.add(key);
      model.open(key, now());
    }
  }

  private void registerOne() {
    SessionKey key = anyKey();
    MemberName name =
        new MemberName(SPACE, random.nextInt(4) == 0 ? "db" : "web", "m-" + random.nextInt(40));
    boolean replace = random.nextInt(5) == 0;
    boolean known = model.isOpen(key);
    boolean taken = model.isTaken(name, key) && !replace;
    RegisterResult result = members.register(name, key, attributes(Map.of()), replace, tx.next());
    assertTrue(known, "a session that is over registers nothing");
    assertEquals(taken, result instanceof RegisterResult.Taken);
    if (!taken) {
      MemberView member = result.member();
      assertTrue(member.incarnation() > highestIncarnation, "R1: incarnations rise");
      highestIncarnation = member.incarnation();
      seen.add(member);
      model.beat(key, now());
      model.register(name, key, member.incarnation());
    }
  }

  private void beatMany() {
    if (random.nextInt(60) == 0) {
      partitioned = !partitioned;
    }
    for (SessionKey key : List.copyOf(model.sessions.keySet())) {
      if (!partitioned && key.incarnation() % 5 != 0 || random.nextInt(60) == 0) {
        beatOne(key);
      }
    }
  }

  private void beatOne(SessionKey key) {
    boolean known = model.isOpen(key);
    try {
      BeatResult told = members.sessions().beat(key, null, tx.next());
      assertTrue(known, "R1: a beat after the end");
      model.beat(key, now());
      assertEquals(model.membersOf(key), told.members());
    } catch (Failure refused) {
      assertFalse(known, "R2: an open session was refused: " + refused.getMessage());
    }
  }

  private void beatByStream() {
    SessionKey key = anyKey();
    SessionKeeper stream =
        new SessionKeeper() {
          @Override
          public void ended(dev.plinth.shards.Tx last) {}
        };
    members.sessions().keep(key, stream);
    members.sessions().beat(key, stream, tx.next());
    model.beat(key, now());
    if (random.nextBoolean()) {
      members.sessions().broken(key, stream, tx.next());
      model.suspect(key);
    }
  }

  /** What was sent long ago arrives now, or once more. */
  private void replay() {
    beatOne(keys.isEmpty() ? new SessionKey(SPACE, "s-1", 1) : anyKey());
    if (seen.isEmpty()) {
      return;
    }
    clock.runDue();
    MemberView old = seen.get(random.nextInt(seen.size()));
    boolean current = Long.valueOf(old.incarnation()).equals(model.there.get(old.name()));
    if (random.nextBoolean()) {
      MemberUpdate update =
          new MemberUpdate(Optional.empty(), Optional.empty(), Optional.of(7), Optional.empty());
      members.update(old.name(), old.incarnation(), update, Optional.empty(), tx.next());
      assertTrue(current, "R1: an old incarnation was changed");
    } else {
      DeregisterResult result =
          members.deregister(
              old.name(),
              old.sessionId(),
              Optional.of(old.incarnation()),
              MemberEnd.deregistered(),
              tx.next());
      assertEquals(current, result == DeregisterResult.LEFT);
      if (current) {
        count(MemberEnd.Cause.DEREGISTERED);
        model.end(old.name(), now());
      }
    }
  }

  private void deregisterOne() {
    MemberName name = new MemberName(SPACE, "web", "m-" + random.nextInt(40));
    DeregisterResult result =
        members.deregister(name, "", Optional.empty(), MemberEnd.forced("olga", ""), tx.next());
    assertEquals(model.there.containsKey(name), result == DeregisterResult.LEFT);
    if (result == DeregisterResult.LEFT) {
      count(MemberEnd.Cause.FORCED);
      model.end(name, now());
    }
  }

  private void closeOne() {
    if (random.nextInt(4) == 0) {
      SessionKey key = anyKey();
      int members = model.isOpen(key) ? model.membersOf(key) : 0;
      assertEquals(members, close(key));
      model.close(key);
      if (members > 0) {
        count(MemberEnd.Cause.SESSION_CLOSED);
      }
    }
  }

  private void releaseSometimes() {
    if (random.nextInt(8) == 0) {
      released = true;
      release("web");
    }
  }

  private SessionKey anyKey() {
    if (keys.isEmpty()) {
      openOne();
    }
    // Mostly one of the last: the others are over.
    int from = random.nextInt(4) == 0 ? 0 : Math.max(0, keys.size() - 25);
    return keys.get(from + random.nextInt(keys.size() - from));
  }

  private void count(MemberEnd.Cause cause) {
    causes.merge(cause, 1, Integer::sum);
  }

  private void check() {
    Map<MemberName, MemberView> actual = new TreeMap<>(ORDER);
    all().forEach(member -> actual.put(member.name(), member));
    checkExpired(actual);
    assertEquals(model.there.keySet(), actual.keySet(), "R1: nobody else is there");
    actual.forEach(
        (name, member) -> {
          assertEquals(model.there.get(name), member.incarnation());
          ReferenceRegistry.Session session = model.sessionOf(name);
          assertEquals(session.suspect, member.state() == MemberState.SUSPECT, "R2, R3: " + member);
          assertTrue(
              !session.suspect || now() - session.deadAt < 3 * TTL_NANOS, "R5: held for too long");
        });
    checkEvents(actual);
  }

  /** Those that are gone though nobody ended them. */
  private void checkExpired(Map<MemberName, MemberView> actual) {
    Map<String, Boolean> byBudget = new HashMap<>();
    for (MemberName name : Set.copyOf(model.there.keySet())) {
      if (!actual.containsKey(name)) {
        ReferenceRegistry.Session session = model.sessionOf(name);
        assertTrue(session.suspect && now() >= session.deadAt, "R2: false death of " + name);
        MemberEnd.Cause cause = members.explain(name, tx).end().orElseThrow().end().cause();
        count(cause);
        if (cause == MemberEnd.Cause.HOLD_OVER) {
          assertTrue(now() - session.deadAt >= 3 * TTL_NANOS, "R5: the hold was not over");
        } else if (cause == MemberEnd.Cause.HOLD_RELEASED) {
          assertTrue(released, "R5: nobody released it");
        }
        byBudget.merge(name.group(), cause == MemberEnd.Cause.EXPIRED, Boolean::logicalAnd);
        deaths.computeIfAbsent(name.group(), group -> new ArrayList<>()).add(now());
        model.end(name, now());
      }
    }
    byBudget.forEach(
        (group, only) -> {
          List<Long> lately = deaths.get(group);
          lately.removeIf(time -> now() - time >= TTL_NANOS);
          long there = model.there.keySet().stream().filter(n -> n.group().equals(group)).count();
          long limit = Math.max(1, (there + lately.size()) * 15 / 100);
          assertTrue(!only || lately.size() <= limit, "R5: " + lately.size() + " of " + limit);
        });
  }

  /** R4: who folds the events has what a list shows, and no incarnation ends twice. */
  private void checkEvents(Map<MemberName, MemberView> actual) {
    for (MemberChange change : changes()) {
      MemberView member = change.member();
      if (change.type() == MemberChange.Type.DEAD || change.type() == MemberChange.Type.LEFT) {
        assertTrue(endedOnce.add(member.incarnation()), "R4: ended twice");
        folded.remove(member.name());
      } else {
        assertFalse(endedOnce.contains(member.incarnation()), "R1: came back");
        folded.put(member.name(), member);
      }
    }
    List<MemberChange> told = changes();
    tx.events().clear();
    assertEquals(brief(actual), brief(folded), "R4: watchers and lists agree");
    long sum = folded.values().stream().mapToLong(MemberView::hash).sum();
    assertEquals(sum, members.checksum(SPACE, ""), "W1: of all groups");
    if (!told.isEmpty()) {
      assertEquals(sum, told.get(told.size() - 1).checksums().namespace(), "W1: as told");
    }
    for (String group : List.of("web", "db")) {
      long ofGroup =
          folded.values().stream()
              .filter(member -> member.name().group().equals(group))
              .mapToLong(MemberView::hash)
              .sum();
      assertEquals(ofGroup, members.checksum(SPACE, group), "W1: of a group");
    }
  }

  private static List<String> brief(Map<MemberName, MemberView> members) {
    return members.values().stream()
        .map(m -> m.name().path() + " " + m.incarnation() + " " + m.state() + " " + m.version())
        .toList();
  }
}
