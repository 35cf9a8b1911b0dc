package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.Answer;
import dev.plinth.shards.fixture.ManualTx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Thousands of random steps by a few owners on a few keys, and after each one all that must hold
 * whatever happened.
 */
class LeasesPropertyTest extends CoreTest {
  private static final List<String> KEYS = List.of("a", "b", "c", "election/d", "sem-e");
  private static final int CAPACITY = 5;
  private static final int STEPS = 2000;

  private Random random;
  private final List<String> sessions = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private final Set<String> gone = new HashSet<>();
  private int owners;
  private long lastToken;
  private HistorySnapshot.Position seen = HistorySnapshot.Position.START;

  private record Waiting(AcquireSpec spec, Answer<AcquireResult> answer) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void V1_V2_V9_V10_V18_V19_holdAfterEveryStep(long seed) {
    random = new Random(seed);
    NamespacePolicy limits = limits();
    leases.setPolicy("default", limits, Optional.empty(), tx);
    for (int i = 0; i < STEPS; i++) {
      step();
      // What a step left for the next commit.
      clock.advance(Duration.ZERO);
      check("seed " + seed + ", step " + i);
    }
  }

  private static NamespacePolicy limits() {
    return NamespacePolicyTest.with(
        Map.of(Quota.LEASES, 9, Quota.SESSIONS, 4, Quota.WAITERS, 12, Quota.WAITERS_PER_KEY, 6),
        List.of(new NamespacePolicy.Semaphore("sem-", CAPACITY)));
  }

  private void step() {
    try {
      switch (random.nextInt(14)) {
        case 0 -> sessions.add(openSession(owner(), delay()));
        case 1, 2, 3, 4 -> wish();
        case 5, 6, 7 -> aHold().ifPresent(h -> leases.release(h.name(), h.token(), tx.next()));
        case 8 -> clock.advance(Duration.ofMillis(random.nextInt(4000)));
        case 9 -> hangUp();
        case 10 -> aHold().ifPresent(this::change);
        case 11 -> closeASession();
        case 12 -> beat();
        default -> rarely();
      }
    } catch (Failure refused) {
      assertTrue(
          Set.of(
                  ErrorReason.ERROR_REASON_QUOTA_EXCEEDED,
                  ErrorReason.ERROR_REASON_QUEUE_FULL,
                  ErrorReason.ERROR_REASON_SESSION_EXPIRED,
                  ErrorReason.ERROR_REASON_DEADLOCK)
              .contains(refused.reason()),
          () -> refused.reason() + ": " + refused.getMessage());
    }
  }

  private void wish() {
    Wish spec =
        wish(owner())
            .delay(delay())
            .ttl(Duration.ofMillis(1000 + random.nextInt(9000)))
            .priority(random.nextInt(3));
    if (random.nextInt(3) > 0) {
      spec.wait(Duration.ofMillis(1 + random.nextInt(8000)));
    }
    if (!sessions.isEmpty() && random.nextBoolean()) {
      spec.session(sessions.get(random.nextInt(sessions.size())));
    }
    int first = random.nextInt(KEYS.size());
    int count = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1;
    for (int i = 0; i < count; i++) {
      String key = KEYS.get((first + i * (1 + random.nextInt(2))) % KEYS.size());
      if (key.startsWith("sem-")) {
        spec.weight(1 + random.nextInt(CAPACITY));
      } else {
        boolean shared = random.nextInt(3) == 0 && !key.startsWith("election/");
        spec.weight(0).mode(shared ? LeaseMode.SHARED : LeaseMode.EXCLUSIVE);
      }
      if (spec.build().wants().stream().noneMatch(w -> w.name().key().equals(key)) || i == 0) {
        spec.and(key);
      }
    }
    if (random.nextInt(4) == 0) {
      spec.patient();
    }
    AcquireSpec built = spec.build();
    Answer<AcquireResult> answer = new Answer<>();
    try {
      leases.acquire(built, AcquireListener.of(answer, result -> result), tx.next());
    } catch (Failure refused) {
      if (refused.reason() == ErrorReason.ERROR_REASON_DEADLOCK) {
        assertTrue(circle(Optional.of(built)), "refused as a deadlock, but is none");
      }
      throw refused;
    }
    if (answer.isOpen()) {
      waiting.add(new Waiting(built, answer));
    }
  }

  private void hangUp() {
    if (random.nextInt(4) > 0) {
      return;
    }
    if (!waiting.isEmpty()) {
      Waiting one = waiting.get(random.nextInt(waiting.size()));
      if (one.answer.isOpen()) {
        one.answer.abandoned = true;
        gone.add(one.spec.party().ownerId());
        leases.abandon(one.spec, tx.next());
      }
    }
  }

  private void change(LeaseView hold) {
    switch (random.nextInt(4)) {
      case 0 -> leases.transfer(hold.name(), hold.token(), owner(), "", tx.next());
      case 1 ->
          leases.updatePayload(hold.name(), hold.token(), Optional.empty(), new byte[3], tx.next());
      case 2 -> leases.renew(hold.name(), hold.token(), tx.next());
      default ->
          leases
              .forcedReleases()
              .releaseAfterNotice(
                  hold.name(),
                  Optional.of(hold.token()),
                  Duration.ofSeconds(2),
                  new HoldEnd(HoldEndCause.FORCED, "olga", "test"),
                  (asked, last) -> {},
                  tx.next());
    }
  }

  private void closeASession() {
    if (!sessions.isEmpty()) {
      closeSession(sessions.remove(random.nextInt(sessions.size())));
    }
  }

  private void beat() {
    if (!sessions.isEmpty()) {
      leases
          .sessions()
          .heartbeat("default", sessions.get(random.nextInt(sessions.size())), tx.next());
    }
  }

  private void rarely() {
    if (random.nextInt(5) == 0) {
      waiting.clear(); // their calls end with the owner
      leases.removeFromGauges();
      takeOver();
    } else if (random.nextInt(5) == 0) {
      aHold().ifPresent(h -> leases.confirm(h.name(), h.token(), Optional.empty(), tx.next()));
    }
  }

  private String owner() {
    // An owner whose call was given up does not come back, so that its grants would show.
    String owner = "o" + owners;
    owners = (owners + 1 + random.nextInt(2)) % 6;
    return gone.contains(owner) ? owner + "-" + gone.size() : owner;
  }

  private Duration delay() {
    return Duration.ofMillis(random.nextInt(4) == 0 ? random.nextInt(3000) : 0);
  }

  private Optional<LeaseView> aHold() {
    List<LeaseView> held = held();
    return held.isEmpty() ? Optional.empty() : Optional.of(held.get(random.nextInt(held.size())));
  }

  private void check(String when) {
    List<LeaseView> held = held();
    held.stream()
        .collect(Collectors.groupingBy(LeaseView::name))
        .values()
        .forEach(holders -> checkHolders(holders, when));
    checkTokensAndHistory(when);
    checkCounts(held, when);
    checkRows(held, when);
    assertFalse(circle(Optional.empty()), when + ": some wait for each other for ever");
    for (Waiting one : waiting) {
      boolean granted = one.answer.answer instanceof AcquireResult.Granted;
      assertFalse(one.answer.abandoned && granted, when + ": granted to nobody");
    }
  }

  private static void checkHolders(List<LeaseView> holders, String when) {
    Set<LeaseMode> modes = holders.stream().map(LeaseView::leaseMode).collect(Collectors.toSet());
    assertEquals(1, modes.size(), when + ": modes that do not go together");
    int weight = holders.stream().mapToInt(LeaseView::weight).sum();
    assertTrue(
        switch (holders.get(0).leaseMode()) {
          case EXCLUSIVE -> holders.size() == 1;
          case SHARED -> weight == 0;
          case SEMAPHORE -> weight <= CAPACITY;
        },
        () -> when + ": " + holders);
  }

  private void checkTokensAndHistory(String when) {
    List<String> told = new ArrayList<>();
    for (LeaseChange change : changes()) {
      if (change.type() == LeaseChange.Type.GRANTED) {
        assertTrue(change.lease().token() > lastToken, when + ": a token did not rise");
        lastToken = change.lease().token();
      }
      if (change.type() != LeaseChange.Type.CHANGED
          && change.type() != LeaseChange.Type.PAYLOAD_CHANGED) {
        told.add(change.type() + " " + change.lease().token() + " " + change.ended());
      }
    }
    // A row that a takeover left half full is closed; the next event stands in the next one.
    HistorySnapshot.Page page = leases.history().after(seen, 1000, entry -> true);
    List<String> remembered = new ArrayList<>();
    for (HistoryEvent entry : page.entries()) {
      assertFalse(entry.actor().isEmpty(), when + ": nobody did it");
      if (Set.of(HistoryEvent.Type.GRANTED, HistoryEvent.Type.ENDED).contains(entry.type())) {
        remembered.add(entry.type() + " " + entry.hold().token() + " " + entry.cause());
      }
    }
    assertEquals(told, remembered, when);
    seen = leases.history().last();
    // The walk is long; what was compared once need not be again.
    tx.events().clear();
  }

  private void checkCounts(List<LeaseView> held, String when) {
    LeaseNamespaceView space = leases.policy("default");
    int inLine =
        (int)
            KEYS.stream()
                .flatMap(key -> waiters(key).line().stream())
                .map(WaitersView.InLine::spec)
                .distinct()
                .count();
    int onlyBarred =
        (int)
            KEYS.stream()
                .filter(key -> tx.rows().containsKey("lease/k/default/" + key + " @lost"))
                .filter(key -> holders(key).isEmpty())
                .count();
    assertEquals(
        List.of(held.size() + onlyBarred, inLine),
        List.of(space.leases(), space.waiters()),
        when + ": counts");
    assertEquals(held.size(), events.held, when);
    assertEquals(inLine, events.waiting, when);
    assertEquals(space.sessions(), events.sessions, when);
    assertTrue(space.leases() <= space.namespacePolicy().most(Quota.LEASES), when);
    assertTrue(space.sessions() <= space.namespacePolicy().most(Quota.SESSIONS), when);
    assertTrue(space.waiters() <= space.namespacePolicy().most(Quota.WAITERS), when);
  }

  private void checkRows(List<LeaseView> held, String when) {
    Leases stored = new Leases(clock, new CountedEvents(), LeaseApp.HISTORY_BYTES);
    ManualTx other = ManualTx.direct(new dev.plinth.testkit.ManualClock());
    stored.load(tx.stored(), other);
    assertEquals(names(held), names(stored.snapshot("default", "", other.nanos())), when);
    for (String key : KEYS) {
      LeaseName name = new LeaseName("default", key);
      boolean barred = !leases.get(name, tx).barredFor().isZero();
      assertEquals(barred, !stored.get(name, other).barredFor().isZero(), when + ": " + key);
    }
  }

  private static List<String> names(List<LeaseView> held) {
    return held.stream()
        .map(
            h ->
                h.name().key() + h.token() + h.ownerId() + h.leaseMode() + h.weight() + h.entries())
        .toList();
  }

  /** Whether some wait for each other in a circle, with one more in line or as it is. */
  private boolean circle(Optional<AcquireSpec> more) {
    Map<AcquireSpec, Set<AcquireSpec>> edges = new IdentityHashMap<>();
    Set<AcquireSpec> all = Collections.newSetFromMap(new IdentityHashMap<>());
    more.ifPresent(all::add);
    for (String name : KEYS) {
      line(name, Optional.empty()).keySet().forEach(all::add);
    }
    for (String name : KEYS) {
      List<AcquireSpec> ahead = new ArrayList<>();
      Map<AcquireSpec, KeyRequest> line = line(name, more);
      for (Map.Entry<AcquireSpec, KeyRequest> one : line.entrySet()) {
        Set<AcquireSpec> needs =
            edges.computeIfAbsent(
                one.getKey(), w -> Collections.newSetFromMap(new IdentityHashMap<>()));
        needs.addAll(ahead);
        ahead.add(one.getKey());
        for (LeaseView holder : leases.get(new LeaseName("default", name), tx).holders()) {
          LeaseOwner leaseOwner = new LeaseOwner(holder.ownerId(), holder.sessionId());
          boolean blocks =
              one.getValue().leaseMode() != LeaseMode.SEMAPHORE
                  && !holder.leaseMode().isCompatibleWith(one.getValue().leaseMode())
                  && !leaseOwner.equals(one.getKey().party());
          all.stream().filter(w -> blocks && w.party().equals(leaseOwner)).forEach(needs::add);
        }
      }
    }
    return edges.keySet().stream()
        .anyMatch(w -> reaches(w, w, edges, Collections.newSetFromMap(new IdentityHashMap<>())));
  }

  private Map<AcquireSpec, KeyRequest> line(String name, Optional<AcquireSpec> more) {
    Optional<KeyRequest> also =
        more.flatMap(m -> m.wants().stream().filter(w -> w.name().key().equals(name)).findFirst());
    Map<AcquireSpec, KeyRequest> line = new LinkedHashMap<>();
    boolean in = also.isEmpty();
    for (WaitersView.InLine one : waiters(name).line()) {
      long rank = Waiter.rank(tx.nanos() - one.waited().toNanos(), one.spec().priority());
      if (!in && rank - Waiter.rank(tx.nanos(), more.orElseThrow().priority()) > 0) {
        line.put(more.orElseThrow(), also.orElseThrow());
        in = true;
      }
      if (!isGone(one.spec())) {
        line.put(one.spec(), one.keyRequest());
      }
    }
    if (!in) {
      line.put(more.orElseThrow(), also.orElseThrow());
    }
    return line;
  }

  private boolean isGone(AcquireSpec spec) {
    return waiting.stream().anyMatch(w -> w.spec == spec && w.answer.abandoned);
  }

  private static boolean reaches(
      AcquireSpec from,
      AcquireSpec to,
      Map<AcquireSpec, Set<AcquireSpec>> edges,
      Set<AcquireSpec> seen) {
    for (AcquireSpec next : edges.getOrDefault(from, Set.of())) {
      if (next == to || seen.add(next) && reaches(next, to, edges, seen)) {
        return true;
      }
    }
    return false;
  }
}
