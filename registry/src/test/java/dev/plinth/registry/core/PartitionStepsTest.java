package dev.plinth.registry.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.partition.PartitionChanges;
import dev.plinth.registry.partition.PartitionGroupName;
import dev.plinth.registry.partition.PartitionPage;
import dev.plinth.registry.partition.PartitionState;
import dev.plinth.registry.partition.PartitionView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Large groups: rebalances of many commits, owners that die in between, bounds and costs. */
class PartitionStepsTest extends PartitionCoreTest {
  private static final int LARGE = 4096;

  PartitionStepsTest() {
    super(true);
  }

  @Test
  void rebalance_writesNoMoreThanACommitTakes() {
    SessionKey a = registered(1);
    members.joinGroup(WEB_1, a, LARGE, tx.next());
    assertEquals(64, tx.writes());
    tx.commit();
    assertEquals(62, states().get(PartitionState.ASSIGNED));
    int transactions = stepsOf(() -> clock.runDue());
    assertEquals(63, transactions, "64 rows each");
    assertEquals(Map.of("web-1", (long) LARGE), shares());
    for (PartitionChanges changes : partitionChanges()) {
      assertTrue(changes.all().size() <= 64);
      assertEquals(LARGE, changes.count());
    }
  }

  private SessionKey registered(int number) {
    SessionKey session = open("web-" + number);
    register(web(number), session);
    return session;
  }

  private int stepsOf(Runnable change) {
    tx.commit();
    change.run();
    int transactions = tx.uncommitted();
    tx.commit();
    return transactions;
  }

  /** For every number of commits after which the owner may die. */
  @Test
  void takeover_afterEachStep_losesNothing() {
    SessionKey a = registered(1);
    SessionKey b = registered(2);
    crashInEachStep(() -> join(1, a, 300), () -> join(1, a, 300));
    assertEquals(Map.of("web-1", 300L), shares());
    crashInEachStep(() -> join(2, b, 300), () -> join(2, b, 300));
    assertEquals(150, revoked(1, a).size());
    crashInEachStep(() -> releaseRevoked(1, a), () -> releaseRevoked(1, a));
    assertEquals(Map.of("web-1", 150L, "web-2", 150L), shares());
    crashInEachStep(() -> leave(1, a), () -> leave(1, a));
    assertEquals(Map.of("web-2", 300L), shares());
    crashInEachStep(() -> leave(2, b), () -> leave(2, b));
    assertEquals(Map.of(), shares());
    assertEquals(
        List.of(), tx.rows().keySet().stream().filter(k -> k.matches("registry/[gjp].*")).toList());
  }

  private void crashInEachStep(Runnable change, Runnable again) {
    Map<String, byte[]> before = Map.copyOf(tx.rows());
    change.run();
    int transactions = tx.uncommitted();
    for (int durable = 0; durable < transactions; durable++) {
      tx.crash();
      tx.rows().clear();
      tx.rows().putAll(before);
      takeOver();
      clock.runDue();
      tx.commit();
      change.run();
      tx.commit(durable);
      takeOver();
      clock.runDue();
      again.run();
      tx.commit();
      assertTrue(states().size() <= 2, "durable: " + durable + ", " + states());
      assertEquals(expected(transactions, before, again), shares(), "durable: " + durable);
    }
  }

  /** The same change without a crash. */
  private Map<String, Long> expected(
      int transactions, Map<String, byte[]> before, Runnable change) {
    Map<String, byte[]> after = Map.copyOf(tx.rows());
    tx.rows().clear();
    tx.rows().putAll(before);
    takeOver();
    clock.runDue();
    change.run();
    tx.commit();
    Map<String, Long> shares = shares();
    tx.rows().clear();
    tx.rows().putAll(after);
    takeOver();
    return shares;
  }

  @Test
  void watch_thatIsFolded_isTheList_overAllSteps() {
    SessionKey a = registered(1);
    SessionKey b = registered(2);
    TreeMap<Integer, PartitionView> folded = new TreeMap<>();
    List<Runnable> changes =
        List.of(
            () -> join(1, a, 200),
            () -> join(2, b, 200),
            () -> releaseRevoked(1, a),
            () -> drain(1, true),
            () -> releaseRevoked(1, a),
            () -> close(b),
            () -> leave(1, a));
    for (Runnable change : changes) {
      change.run();
      clock.runDue();
      tx.commit();
      for (PartitionChanges told : partitionChanges()) {
        told.all().forEach(view -> folded.put(view.partition(), view));
        if (told.count() == 0) {
          folded.clear();
        }
      }
      tx.events().clear();
      assertEquals(partitions("web"), List.copyOf(folded.values()));
    }
    assertEquals(0, folded.size(), "the group ended");
  }

  @Test
  void changes_ofOneOwner_areThoseBeforeAndAfter() {
    SessionKey a = joined(1, 2);
    joined(2, 2);
    tx.commit();
    tx.events().clear();
    int number = revoked(1, a).get(0).partition();
    releaseRevoked(1, a);
    tx.commit();
    PartitionChanges told = partitionChanges().get(0);
    assertEquals("web-2", told.of("web-1").get(0).owner(), "no longer its own");
    assertEquals(number, told.of("web-2").get(0).partition());
    assertEquals(List.of(), told.of("web-3"));
    assertEquals(1, told.all().size());
  }

  /** A join costs what it moves: m members that join one by one move n (1/2 + 1/3 + ... + 1/m). */
  @Test
  void manyMembers_moveNoMoreThanTheirShare() {
    List<SessionKey> sessions = new ArrayList<>();
    int count = 512;
    for (int i = 0; i < count; i++) {
      sessions.add(joined(i, count));
      int revoked = partitionEvents.unreleased;
      assertEquals(i == 0 ? 0 : count / (i + 1), revoked, "the share of the new one");
      for (int giver = 0; giver < i && partitionEvents.unreleased > 0; giver++) {
        releaseRevoked(giver, sessions.get(giver));
      }
      tx.commit();
    }
    assertEquals(count, shares().size());
    joined(count, count);
    assertEquals(0, partitionEvents.unreleased, "one too many has none");
    assertEquals(count + 1, summary().members());
  }

  @Test
  void partitions_ofANamespace_areBounded() {
    SessionKey a = open("a");
    for (int i = 0; i < 16; i++) {
      joinGroup("g" + i, a, LARGE);
    }
    full(() -> joinGroup("one-more", a, 1));
    leaveGroup("g1", a);
    joinGroup("one-more", a, 1);
    full(() -> joinGroup("another", a, LARGE));
    closeAll(a);
  }

  @Test
  void groups_ofANamespace_areBounded() {
    SessionKey a = open("a");
    SessionKey b = open("b");
    for (int i = 0; i < 1000; i++) {
      joinGroup("g" + i, a, 1);
    }
    register(new MemberName(SPACE, "one-more", "m"), b);
    full(() -> members.joinGroup(new MemberName(SPACE, "one-more", "m"), b, 1, tx.next()));
    joinGroup("g1", b, 1, "n");
    closeAll(a);
    closeAll(b);
  }

  private void joinGroup(String group, SessionKey session, int count) {
    joinGroup(group, session, count, "m");
  }

  private void joinGroup(String group, SessionKey session, int count, String name) {
    MemberName member = new MemberName(SPACE, group, name);
    register(member, session);
    members.joinGroup(member, session, count, tx.next());
    clock.runDue();
    tx.commit();
  }

  private void leaveGroup(String group, SessionKey session) {
    MemberName member = new MemberName(SPACE, group, "m");
    members.partitions().leave(member.partitionKey(session.id()), tx.next());
    clock.runDue();
  }

  private void closeAll(SessionKey session) {
    close(session);
    clock.runDue();
    tx.commit();
  }

  private void full(Runnable call) {
    int groups = partitionEvents.groups;
    refused(ErrorReason.ERROR_REASON_QUOTA_EXCEEDED, call);
    assertEquals(groups, partitionEvents.groups);
  }

  @Test
  void members_ofAGroup_areBounded() {
    SessionKey session = null;
    for (int i = 0; i < 4096; i++) {
      session = i % 1000 == 0 ? open("filler") : session;
      register(web(i), session);
      join(i, session, 1);
    }
    SessionKey last = registered(5000);
    full(() -> join(5000, last, 1));
    leave(4095, session);
    join(5000, last, 1);
  }

  @Test
  void page_looksAtFewMoreThanItReturns() {
    joined(1, LARGE);
    SessionKey b = joined(2, LARGE);
    PartitionGroupName group = WEB;
    PartitionPage none = members.partitions().list(new PartitionPage.Request(group, "no", 0, 10));
    assertEquals(List.of(), none.partitions());
    assertEquals(OptionalInt.of(100), none.next());
    PartitionPage page = members.partitions().list(new PartitionPage.Request(group, "", 4090, 6));
    assertEquals(4095, page.partitions().get(5).partition());
    assertEquals(OptionalInt.empty(), page.next());
    assertEquals(LARGE, page.group().count());
    assertEquals(2, page.group().members());
    assertEquals(LARGE / 2, page.group().revoked());
    PartitionPage beyond = members.partitions().list(new PartitionPage.Request(group, "", 9000, 6));
    assertEquals(List.of(), beyond.partitions());
    assertEquals(OptionalInt.empty(), beyond.next());
    assertEquals(List.of(), owned(2, b));
  }
}
