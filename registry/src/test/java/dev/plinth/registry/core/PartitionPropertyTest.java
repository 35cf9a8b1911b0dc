package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.partition.PartitionChanges;
import dev.plinth.registry.partition.PartitionMemberKey;
import dev.plinth.registry.partition.PartitionState;
import dev.plinth.registry.partition.PartitionToken;
import dev.plinth.registry.partition.PartitionView;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A random walk of processes that join, leave, drain, release, fall silent, close their sessions
 * and take each other's names, with owners of the shard that die between any two commits. The
 * processes know only what was durable, and act by it.
 */
class PartitionPropertyTest extends PartitionCoreTest {
  private static final int STEPS = 3000;
  private static final Duration TICK = Duration.ofMillis(500);
  private static final int NAMES = 12;
  private static final Set<ErrorReason> EXPECTED =
      Set.of(
          ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
          ErrorReason.ERROR_REASON_MEMBER_UNKNOWN,
          ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED,
          ErrorReason.ERROR_REASON_INCARNATION_STALE);

  private Random random;
  private int count;
  private final List<PartitionProcess> processes = new ArrayList<>();
  private final TreeMap<Integer, PartitionView> told = new TreeMap<>();
  private final Map<Integer, Long> highest = new HashMap<>();
  private final Map<String, Integer> seen = new TreeMap<>();
  private boolean crashed;

  /** A member ended and joined again under the same name and session. */
  private boolean severalChanges;

  PartitionPropertyTest() {
    super(true);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void P1_P2_P3_P4_P5_holdAfterEveryStep(long seed) {
    random = new Random(seed);
    count = seed % 2 == 0 ? 7 : 150;
    for (int i = 0; i < STEPS; i++) {
      try {
        Map<String, Integer> keptBefore = kept();
        int takersBefore = takers().size();
        int revokedBefore = partitionEvents.revoked;
        step();
        learn();
        check();
        if (!crashed && !severalChanges && Math.abs(takers().size() - takersBefore) <= 1) {
          checkMoves(keptBefore, partitionEvents.revoked - revokedBefore);
        }
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", step " + i + ": " + e.getMessage(), e);
      }
    }
    assertTrue(seen.size() >= 6, "the walk is too tame: " + seen);
  }

  private void step() {
    crashed = false;
    severalChanges = false;
    tx.next();
    try {
      switch (random.nextInt(30)) {
        case 0, 1 -> start();
        case 2 -> takeName();
        case 3, 4 -> joinAgain();
        case 5 -> leaveOne();
        case 6 -> drainOne();
        case 7 -> closeOne();
        case 8 -> deregisterOne();
        case 9 -> clock.stepWall(Duration.ofMinutes(random.nextInt(120) - 60));
        case 10, 11, 12, 13, 14 -> releaseSome();
        default -> tick();
      }
    } catch (Failure refused) {
      assertTrue(EXPECTED.contains(refused.reason()), refused::getMessage);
    }
    clock.runDue();
    if (random.nextInt(25) == 0) {
      crashed = true;
      note("crash");
      tx.commit(random.nextInt(tx.uncommitted() + 1));
      takeOver();
      learn();
      assertEquals(folded(), partitions(), "P5: what was told is what is there");
      clock.runDue();
    }
    tx.commit();
  }

  private void note(String what) {
    seen.merge(what, 1, Integer::sum);
  }

  /** Mostly everybody beats; some are silent for long. */
  private void tick() {
    clock.advance(TICK);
    for (PartitionProcess process : processes) {
      process.checkTime(now());
      boolean silent = process.session.incarnation() % 3 == 0 && random.nextInt(80) != 0;
      if (!process.stopped && !silent) {
        try {
          members.sessions().beat(process.session, null, tx.next());
          process.lastBeat = now();
        } catch (Failure refused) {
          process.stop();
        }
      }
    }
    processes.removeIf(process -> process.stopped);
  }

  private long now() {
    return tx.nanos();
  }

  private void start() {
    if (processes.size() < 9) {
      startAs(random.nextInt(NAMES), false);
    }
  }

  /** A process with the name of another, which goes on. */
  private void takeName() {
    if (!processes.isEmpty() && processes.size() < 12) {
      note("takeName");
      startAs(any().number, true);
    }
  }

  private void startAs(int number, boolean replace) {
    SessionKey session = open("process");
    RegisterResult result =
        members.register(web(number), session, attributes(Map.of()), replace, tx.next());
    if (result instanceof RegisterResult.Registered) {
      boolean lazy = random.nextInt(4) == 0;
      processes.add(new PartitionProcess(session, number, now(), lazy));
      members.joinGroup(web(number), session, count, tx.next());
    }
  }

  private PartitionProcess any() {
    return processes.get(random.nextInt(processes.size()));
  }

  private Optional<PartitionProcess> some() {
    return processes.isEmpty() ? Optional.empty() : Optional.of(any());
  }

  private void joinAgain() {
    some()
        .ifPresent(
            process -> members.joinGroup(web(process.number), process.session, count, tx.next()));
  }

  private void leaveOne() {
    some()
        .ifPresent(
            process -> {
              note("leave");
              process.letGo();
              members.partitions().leave(key(process.number, process.session), tx.next());
            });
  }

  private void drainOne() {
    some().ifPresent(process -> drainIfThere(web(process.number)));
  }

  private void drainIfThere(MemberName name) {
    MemberView member = members.get(name);
    boolean draining = member.state() != MemberState.DRAINING;
    MemberUpdate update =
        new MemberUpdate(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(draining));
    members.update(name, member.incarnation(), update, Optional.empty(), tx.next());
    note("drain");
  }

  private void closeOne() {
    if (random.nextInt(3) == 0) {
      some()
          .ifPresent(
              process -> {
                note("close");
                process.stop();
                processes.remove(process);
                close(process.session);
              });
    }
  }

  /** The process itself: it acts no more before it says so. */
  private void deregisterOne() {
    some()
        .ifPresent(
            process -> {
              process.letGo();
              severalChanges = true;
              MemberName name = web(process.number);
              deregister(name, process.session);
              members.register(name, process.session, attributes(Map.of()), false, tx.next());
              members.joinGroup(name, process.session, count, tx.next());
            });
  }

  private void releaseSome() {
    List<PartitionProcess> order = new ArrayList<>(processes);
    Collections.shuffle(order, random);
    for (PartitionProcess process : order) {
      if (!process.toRelease.isEmpty() && (!process.lazy || random.nextInt(30) == 0)) {
        note("release");
        List<PartitionToken> tokens = new ArrayList<>();
        process.toRelease.forEach(
            (partition, token) -> {
              if (tokens.size() < 64) {
                tokens.add(new PartitionToken(partition, token));
              }
            });
        tokens.forEach(token -> process.stopsFor(token.partition()));
        members.partitions().release(key(process.number, process.session), tokens, tx.next());
        return;
      }
    }
  }

  /** What became durable is told to everybody, in order. */
  private void learn() {
    processes.forEach(process -> process.checkTime(now()));
    for (PartitionChanges changes : partitionChanges()) {
      changes.all().forEach(this::learn);
      if (changes.count() == 0) {
        told.clear();
        note("end of the group");
      }
    }
    tx.events().clear();
  }

  private void learn(PartitionView view) {
    told.put(view.partition(), view);
    for (PartitionProcess process : processes) {
      if (!process.session.id().equals(view.sessionId())) {
        assertTrue(
            !process.acts.containsKey(view.partition()),
            "P1: " + process.session.id() + " still acts for " + view);
        process.lost(view.partition());
      } else if (view.state() == PartitionState.ASSIGNED) {
        process.assigned(view.partition(), view.token());
      } else {
        process.revoked(view.partition(), view.token());
      }
    }
    if (view.state() == PartitionState.ASSIGNED) {
      Long before = highest.put(view.partition(), view.token());
      assertTrue(before == null || view.token() > before, "P2: tokens rise");
    } else if (view.state() == PartitionState.REVOKED) {
      assertEquals(highest.get(view.partition()), view.token(), "P2: by the same token");
    }
  }

  private void check() {
    assertEquals(folded(), partitions(), "P5: watchers and lists agree");
    List<String> takers = takers();
    Map<String, Integer> kept = kept();
    boolean pending = told.values().stream().anyMatch(v -> v.state() != PartitionState.ASSIGNED);
    if (takers.isEmpty()) {
      return;
    }
    note(pending ? "pending" : "settled");
    int share = count / takers.size();
    List<Integer> shares = takers.stream().map(name -> kept.getOrDefault(name, 0)).toList();
    long more = shares.stream().filter(number -> number > share).count();
    assertTrue(
        shares.stream().allMatch(number -> number <= share + 1) && more <= count % takers.size(),
        "P3: nobody keeps more than its share: " + shares);
    assertEquals(0, states().getOrDefault(PartitionState.FREE, 0L), "P3: none lies idle");
    if (!pending) {
      assertTrue(
          Collections.max(shares) - Collections.min(shares) <= 1, "P3: even shares: " + shares);
      assertEquals(count, shares.stream().mapToInt(Integer::intValue).sum());
    }
  }

  /** P4: of those that stay, only what is above their share is revoked; of the others all. */
  private void checkMoves(Map<String, Integer> keptBefore, int revoked) {
    List<String> takers = takers();
    if (takers.isEmpty()) {
      assertEquals(0, revoked, "P4: nobody could have it");
      return;
    }
    List<Integer> before =
        takers.stream()
            .map(name -> keptBefore.getOrDefault(name, 0))
            .sorted(Collections.reverseOrder())
            .toList();
    int least = 0;
    for (int i = 0; i < before.size(); i++) {
      int target = count / takers.size() + (i < count % takers.size() ? 1 : 0);
      least += Math.max(0, before.get(i) - target);
    }
    for (var former : keptBefore.entrySet()) {
      if (!takers.contains(former.getKey()) && isMember(former.getKey())) {
        least += former.getValue();
      }
    }
    assertEquals(least, revoked, "P4: no more than balance needs");
  }

  private boolean isMember(String holder) {
    String[] parts = holder.split("/");
    return isMember(new PartitionMemberKey(WEB, parts[0], parts[1]));
  }

  private boolean isMember(PartitionMemberKey key) {
    try {
      members.partitions().assignment(key);
      return true;
    } catch (Failure notJoined) {
      return false;
    }
  }

  /** Members that are to have their share. */
  private List<String> takers() {
    return all().stream()
        .filter(this::isTaker)
        .map(member -> member.name().member() + "/" + member.sessionId())
        .toList();
  }

  private boolean isTaker(MemberView member) {
    return isMember(member.name().partitionKey(member.sessionId()))
        && !members.table.there(member.name()).orElseThrow().draining;
  }

  /** How many partitions each has that are not revoked. */
  private Map<String, Integer> kept() {
    Map<String, Integer> kept = new HashMap<>();
    for (PartitionView view : partitions("web")) {
      if (view.state() == PartitionState.ASSIGNED) {
        kept.merge(view.owner() + "/" + view.sessionId(), 1, Integer::sum);
      }
    }
    return kept;
  }

  /** What watchers know; a partition that was never named is FREE. */
  private List<PartitionView> folded() {
    List<PartitionView> folded = new ArrayList<>();
    for (PartitionView view : partitions()) {
      PartitionView known = told.get(view.partition());
      folded.add(known == null ? free(view.partition()) : durable(known));
    }
    return folded;
  }

  private static PartitionView free(int number) {
    return new PartitionView(number, PartitionState.FREE, "", "", 0, Optional.empty(), false);
  }
}
