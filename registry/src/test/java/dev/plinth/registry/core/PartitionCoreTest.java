package dev.plinth.registry.core;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.registry.partition.PartitionChanges;
import dev.plinth.registry.partition.PartitionGroupName;
import dev.plinth.registry.partition.PartitionGroupSummary;
import dev.plinth.registry.partition.PartitionMemberKey;
import dev.plinth.registry.partition.PartitionPage;
import dev.plinth.registry.partition.PartitionReleases;
import dev.plinth.registry.partition.PartitionState;
import dev.plinth.registry.partition.PartitionToken;
import dev.plinth.registry.partition.PartitionView;
import dev.plinth.registry.partition.ReleaseOutcome;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Partition groups on a clock that the test moves. Their members are those of {@link CoreTest}. */
abstract class PartitionCoreTest extends CoreTest {
  static final PartitionGroupName WEB = new PartitionGroupName(SPACE, "web");

  PartitionCoreTest() {}

  PartitionCoreTest(boolean held) {
    super(held);
  }

  /** A process with a member in a session of its own, which has joined. */
  final SessionKey joined(int number, int count) {
    SessionKey session = open("web-" + number);
    register(web(number), session);
    join(number, session, count);
    return session;
  }

  final PartitionGroupSummary join(int number, SessionKey session, int count) {
    PartitionGroupSummary group = members.joinGroup(web(number), session, count, tx.next());
    clock.runDue();
    return group;
  }

  static PartitionMemberKey key(int number, SessionKey session) {
    return web(number).partitionKey(session.id());
  }

  final List<PartitionView> owned(int number, SessionKey session) {
    return members.partitions().assignment(key(number, session)).owned();
  }

  final List<PartitionView> revoked(int number, SessionKey session) {
    return owned(number, session).stream()
        .filter(view -> view.state() == PartitionState.REVOKED)
        .toList();
  }

  final PartitionReleases release(int number, SessionKey session, List<PartitionView> partitions) {
    List<PartitionToken> tokens =
        partitions.stream()
            .map(view -> new PartitionToken(view.partition(), view.token()))
            .toList();
    PartitionReleases releases =
        members.partitions().release(key(number, session), tokens, tx.next());
    clock.runDue();
    return releases;
  }

  /** As a client does it, 64 at a time. */
  final int releaseRevoked(int number, SessionKey session) {
    int released = 0;
    List<PartitionView> revoked = revoked(number, session);
    for (int from = 0; from < revoked.size(); from += 64) {
      List<PartitionView> some = revoked.subList(from, Math.min(from + 64, revoked.size()));
      List<ReleaseOutcome> outcomes = release(number, session, some).outcomes();
      assertEquals(Collections.nCopies(some.size(), ReleaseOutcome.RELEASED), outcomes);
      released += some.size();
    }
    return released;
  }

  final void drain(int number, boolean draining) {
    MemberUpdate update =
        new MemberUpdate(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(draining));
    MemberName name = web(number);
    long incarnation = members.get(name).incarnation();
    members.update(name, incarnation, update, Optional.empty(), tx.next());
    clock.runDue();
  }

  final int leave(int number, SessionKey session) {
    int released = members.partitions().leave(key(number, session), tx.next()).orElse(-1);
    clock.runDue();
    return released;
  }

  final PartitionView partition(int number) {
    return partitions("web").get(number);
  }

  final PartitionGroupSummary summary() {
    return members.partitions().list(new PartitionPage.Request(WEB, "", 0, 1)).group();
  }

  final String why(int partition) {
    return members.partitions().explain(WEB, partition, tx.next()).why();
  }

  /** How many partitions each owner has; those without one under the empty name. */
  final Map<String, Long> shares() {
    return new TreeMap<>(
        partitions("web").stream().collect(groupingBy(PartitionView::owner, counting())));
  }

  final Map<PartitionState, Long> states() {
    return partitions("web").stream().collect(groupingBy(PartitionView::state, counting()));
  }

  final List<PartitionChanges> partitionChanges() {
    return tx.events().stream()
        .filter(event -> event.body() instanceof PartitionChanges)
        .map(event -> (PartitionChanges) event.body())
        .toList();
  }
}
