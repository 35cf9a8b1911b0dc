package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Tx;
import dev.plinth.shards.fixture.Answer;
import dev.plinth.shards.fixture.LateTx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What is cut, counted, aged, or forgotten, so that nothing grows without a bound. */
class BoundsTest extends CoreTest {
  @Test
  void holders_areCutWhereTheyAreTold_withTheirNumberBesideThem() {
    for (int i = 0; i < 200; i++) {
      granted(acquire(wish("r" + i).mode(LeaseMode.SHARED)));
    }
    AcquireResult.Held held = assertInstanceOf(AcquireResult.Held.class, acquire("bob").answer);
    assertEquals(
        List.of(AcquireBlockers.MAX_HOLDERS, 200), sizes(held.holders(), held.holderCount()));
    Answer<AcquireResult> waiting = acquire(wish("cid").wait(Duration.ofSeconds(1)));
    clock.advance(Duration.ofSeconds(1));
    AcquireResult.TimedOut late = assertInstanceOf(AcquireResult.TimedOut.class, waiting.answer);
    assertEquals(
        List.of(AcquireBlockers.MAX_HOLDERS, 200), sizes(late.holders(), late.holderCount()));
    KeyView key = leases.get(PRINTER, tx);
    assertEquals(List.of(LeaseKey.MAX_SHOWN, 200), sizes(key.holders(), key.holderCount()));
    assertEquals("r0", key.holders().get(0).ownerId());
  }

  private static List<Integer> sizes(List<LeaseView> shown, int total) {
    return List.of(shown.size(), total);
  }

  @Test
  void page_costsWhatItReturns_andAllPagesAreTheWhole() {
    for (int i = 0; i < 3000; i++) {
      granted(acquire(wish(i % 100 == 0 ? "ann" : "bob").key(String.format("k%04d", i))));
    }
    for (int i = 0; i < 25; i++) {
      granted(acquire(wish("r" + i).mode(LeaseMode.SHARED).key("k0500x")));
    }
    assertEquals(held(), pages("", "", 7));
    long looked = leases.keysOnPages();
    assertTrue(looked < 3001 * 2, () -> looked + " keys looked at");
    assertEquals(
        held().stream().filter(lease -> lease.name().key().startsWith("k05")).toList(),
        pages("k05", "", 10));
    assertEquals(30, pages("", "ann", 5).size());
    LeasePage first = leases.list(request("", "ann", LeasePage.Position.START, 5), tx);
    assertTrue(first.leases().size() < 5, "a filter that leaves out many ends a page early");
    assertTrue(first.next().orElseThrow().key().compareTo("k0050") < 0);
  }

  @Test
  void page_overKeysThatAreOnlyBarred_costsWhatItReturns() {
    for (int i = 0; i < 500; i++) {
      granted(acquire(delayed("ann", LONG).key(String.format("b%03d", i))));
    }
    clock.advance(TTL);
    granted(acquire(wish("bob").key("b250x")));
    granted(acquire(wish("bob").key("z")));
    long before = leases.keysOnPages();
    LeasePage first = leases.list(request("", "", LeasePage.Position.START, 1), tx);
    assertEquals(List.of(), first.leases());
    long looked = leases.keysOnPages() - before;
    assertTrue(looked <= 11, () -> looked + " keys looked at");
    assertEquals(held(), pages("", "", 1));
  }

  @Test
  void V18_keysThatAreOnlyBarred_countAsLeases_butNotAgainstTheLostOwnersOwnReturn() {
    leases.setPolicy(
        "default",
        NamespacePolicyTest.with(Map.of(Quota.LEASES, 2), List.of()),
        Optional.empty(),
        tx.next());
    granted(acquire(delayed("ann", LONG).key("a")));
    granted(acquire(delayed("ann", LONG).key("b")));
    clock.advance(TTL);
    assertEquals(2, leases.policy("default").leases());
    exhausted(() -> acquire(wish("bob").key("c")));
    takeOver();
    assertEquals(2, leases.policy("default").leases());
    exhausted(() -> acquire(wish("bob").key("c")));
    granted(acquire(wish("ann").key("a").ttl(LONG)));
    assertEquals(2, leases.policy("default").leases());
    clock.advance(LONG);
    assertEquals(0, leases.policy("default").leases());
    granted(acquire(wish("bob").key("c")));
  }

  @Test
  void page_isBoundedInBytes() {
    for (int i = 0; i < 100; i++) {
      granted(acquire(wish("ann").key("k" + i).payload(new byte[4096])));
    }
    LeasePage first = leases.list(request("", "", LeasePage.Position.START, 1000), tx);
    assertEquals(LeasePage.MAX_BYTES / 4096, first.leases().size());
    assertEquals(100, pages("", "", 1000).size());
  }

  private List<LeaseView> pages(String prefix, String owner, int size) {
    List<LeaseView> all = new ArrayList<>();
    Optional<LeasePage.Position> next = Optional.of(LeasePage.Position.START);
    while (next.isPresent()) {
      LeasePage page = leases.list(request(prefix, owner, next.get(), size), tx);
      assertTrue(page.leases().size() <= size);
      all.addAll(page.leases());
      next = page.next();
    }
    return all;
  }

  private static LeasePage.Request request(
      String prefix, String owner, LeasePage.Position after, int size) {
    return new LeasePage.Request("default", prefix, owner, after, size);
  }

  @Test
  void V10_priorities_age_soThatALowOneIsServedInTheEnd() {
    long token = granted(acquire(wish("ann").ttl(LONG))).token();
    Answer<AcquireResult> low = acquire(wish("low").wait(LONG).ttl(LONG));
    clock.advance(Waiter.PRIORITY_STEP.multipliedBy(5).minusMillis(1));
    Answer<AcquireResult> high = acquire(wish("high").wait(LONG).ttl(LONG).priority(5));
    clock.advance(Duration.ofMillis(2));
    Answer<AcquireResult> late = acquire(wish("late").wait(LONG).ttl(LONG).priority(5));
    leases.release(PRINTER, token, tx.next());
    token = granted(high).token();
    leases.release(PRINTER, token, tx.next());
    assertEquals("low", granted(low).ownerId(), "it had waited for five levels");
    assertTrue(late.isOpen());
  }

  @Test
  void V2_waitForMoreThanALoweredCapacity_isRefused_andNeverGranted() {
    SemaphoreTest.capacity(this, 5);
    long all = granted(acquire(wish("ann").weight(5).key("sem"))).token();
    Answer<AcquireResult> heavy = acquire(wish("bob").weight(4).key("sem").wait(LONG));
    Answer<AcquireResult> light = acquire(wish("cid").weight(2).key("sem").wait(LONG));
    SemaphoreTest.capacity(this, 3);
    assertEquals(ErrorReason.ERROR_REASON_POLICY_VIOLATION, heavy.failure.reason());
    leases.release(new LeaseName("default", "sem"), all, tx.next());
    assertEquals("cid", granted(light).ownerId());
    leases.setPolicy("default", NamespacePolicy.PLATFORM, Optional.empty(), tx.next());
    assertEquals(List.of("cid"), holders("sem"));
  }

  @Test
  void V2_electionKeys_areExclusive_andALeaderIsHandedNothingBesideOthers() {
    for (Wish shared :
        List.of(
            wish("ann").mode(LeaseMode.SHARED).key("election/e"),
            wish("ann").mode(LeaseMode.SHARED).and("a").and("election/e"))) {
      Failure refused = assertThrows(Failure.class, () -> acquire(shared));
      assertEquals("mode", refused.metadata().get("field"));
    }
    // A key that an older server let be shared.
    tx.rows().put("lease/k/default/election/e @7", row("ann"));
    tx.rows().put("lease/k/default/election/e @8", row("bob"));
    takeOver();
    Answer<AcquireResult> cid = acquire(wish("cid").key("election/e").wait(LONG));
    LeaseName election = new LeaseName("default", "election/e");
    assertFalse(leases.handOver(election, 7, "cid", tx.next()).lease().isPresent());
    assertTrue(cid.isOpen());
    assertEquals(List.of("ann", "bob"), holders("election/e"));
  }

  private static byte[] row(String owner) {
    return ("v1 " + owner + " - SHARED 0 10000 0 1 1767225600000 1 - 1 -").getBytes();
  }

  @Test
  void V2_ownerThatIsHandedTwoSharedHolds_isNotMadeExclusiveBesideItself() {
    long one = granted(acquire(wish("ann").mode(LeaseMode.SHARED))).token();
    long two = granted(acquire(wish("bob").mode(LeaseMode.SHARED))).token();
    Answer<AcquireResult> writer = acquire(wish("cid").wait(LONG));
    long first = leases.transfer(PRINTER, one, "cid", "", tx.next()).orElseThrow().token();
    leases.transfer(PRINTER, two, "cid", "", tx.next());
    assertTrue(writer.isOpen());
    assertTrue(held().stream().allMatch(hold -> hold.leaseMode() == LeaseMode.SHARED));
    leases.release(PRINTER, first, tx.next());
    assertInstanceOf(AcquireResult.Reentered.class, writer.answer);
    assertEquals(List.of(LeaseMode.EXCLUSIVE), held().stream().map(LeaseView::leaseMode).toList());
  }

  @Test
  void V18_fencesAndElections_areCounted_andBounded_overATakeoverToo() {
    NamespacePolicy two =
        NamespacePolicyTest.with(Map.of(Quota.FENCES, 2, Quota.ELECTIONS, 2), List.of());
    leases.setPolicy("default", two, Optional.empty(), tx.next());
    giveTokens(6);
    for (String name : List.of("a", "b")) {
      leases.fences().raise(new LeaseName("default", name), 5, tx.next());
      granted(acquire(wish("ann").key("election/" + name)));
    }
    takeOver();
    exhausted(() -> leases.fences().raise(new LeaseName("default", "c"), 5, tx.next()));
    exhausted(() -> acquire(wish("ann").key("election/c")));
    assertEquals(6, leases.fences().raise(new LeaseName("default", "a"), 6, tx.next()));
    clock.advance(TTL);
    granted(acquire(wish("bob").key("election/a")));
    assertEquals(two, leases.policy("default").namespacePolicy());
    assertEquals(2, leases.policy("default").fences());
    assertEquals(2, leases.policy("default").elections());
  }

  private static void exhausted(org.junit.jupiter.api.function.Executable call) {
    Failure refused = assertThrows(Failure.Exhausted.class, call);
    assertEquals(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, refused.reason());
  }

  @Test
  void namespace_isForgotten_whenNothingIsLeftOfIt() {
    leases.release(PRINTER, granted(acquire("ann")).token(), tx.next());
    assertEquals(0, leases.namespaces());
    closeSession(openSession("ann", Duration.ZERO));
    assertEquals(0, leases.namespaces());
    assertThrows(Failure.class, () -> acquire(wish("ann").weight(1).key("sem")));
    assertThrows(Failure.class, () -> acquire(inSession("ann", "s-none", "a")));
    leases.get(PRINTER, tx);
    assertEquals(0, leases.namespaces());
    granted(acquire(delayed("ann", Duration.ofSeconds(1))));
    clock.advance(TTL);
    assertEquals(1, leases.namespaces(), "a lock-delay runs");
    clock.advance(Duration.ofSeconds(1));
    assertEquals(0, leases.namespaces());
    leases.setPolicy("default", NamespacePolicy.PLATFORM, Optional.empty(), tx.next());
    assertEquals(1, leases.namespaces(), "its policy has a version");
  }

  @Test
  void followerOfAHold_isForgotten_whenItsCallEnds() {
    String session = openSession("ann", Duration.ZERO);
    List<AcquireSpec> calls = new ArrayList<>();
    int[] heard = {0};
    for (int i = 0; i < 100; i++) {
      AcquireSpec spec = wish("ann").session(session).build();
      calls.add(spec);
      leases.acquire(spec, new Ears(heard), tx.next());
    }
    Ears keeper = new Ears(heard);
    leases.sessions().keep("default", session, keeper, tx.next());
    calls.subList(1, 100).forEach(spec -> leases.abandon(spec, tx.next()));
    leases.sessions().leave("default", session, keeper);
    clock.advance(TTL);
    assertEquals(2, heard[0], "one is left to hear of the danger and of the end");
  }

  /** One that never looks gone, so that only being forgotten keeps it from hearing. */
  private record Ears(int[] heard) implements AcquireListener {
    @Override
    public void answer(AcquireResult outcome, Tx tx) {}

    @Override
    public void refuse(Failure why, Tx tx) {}

    @Override
    public boolean wantsEvents() {
      return true;
    }

    @Override
    public void onEvent(HoldEvent holdEvent, Tx tx) {
      heard[0]++;
    }

    @Override
    public boolean isGone() {
      return false;
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Test
  void V5_whatHasRunOut_isNotValid_evenIfItsEndIsLate() {
    long token = granted(acquire("ann")).token();
    long confirmed = granted(acquire(wish("bob").key("b"))).token();
    leases.confirm(new LeaseName("default", "b"), confirmed, Optional.empty(), tx.next());
    LateTx late = new LateTx(tx, TTL);
    assertTrue(leases.validate(PRINTER, token, tx).isPresent());
    assertTrue(leases.validate(PRINTER, token, late).isEmpty());
    assertEquals(OptionalLong.of(token), leases.newestToken(PRINTER), "as GetLease and HELD say");
    assertEquals(token, leases.get(PRINTER, late).holders().get(0).token());
    assertTrue(leases.validate(new LeaseName("default", "b"), confirmed, late).isPresent());
    assertTrue(leases.renew(PRINTER, token, late).isPresent(), "a renewal may still save it");
    assertTrue(leases.validate(PRINTER, token, late).isPresent());
  }

  @Test
  void durationsInRefusals_areAsCallersTypeThem() {
    Failure refused =
        assertThrows(Failure.class, () -> acquire(wish("ann").ttl(LONG.multipliedBy(20))));
    assertTrue(refused.getMessage().contains("6000s"), refused.getMessage());
    assertTrue(refused.getMessage().contains("0.100s..3600s"), refused.getMessage());
  }
}
