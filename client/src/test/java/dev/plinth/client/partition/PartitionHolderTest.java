package dev.plinth.client.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.ScriptedRegistry;
import dev.plinth.client.internal.session.Membership;
import dev.plinth.registry.v1.LostMember;
import dev.plinth.registry.v1.PartitionToken;
import dev.plinth.registry.v1.RegisterRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a manual clock: 10 s of ttl, 9 s of which may be believed, a beat every 3 s. */
class PartitionHolderTest {
  private final ScriptedPartitions server = new ScriptedPartitions();
  private final ScriptedRegistry registry = new ScriptedRegistry(server);
  private final List<String> told = new ArrayList<>();
  // Callbacks that wait for the test to run them, while this is set.
  private boolean busy;
  private final List<Runnable> waiting = new ArrayList<>();
  private Consumer<Owned> onRevoked = owned -> {};
  private Membership membership;
  private PartitionHolder holder;

  @BeforeEach
  void join() {
    server.registry = registry;
    registry.callbacks =
        task -> {
          if (busy) {
            waiting.add(task);
          } else {
            task.run();
          }
        };
    RegisterRequest member =
        RegisterRequest.newBuilder()
            .setNamespace("default")
            .setGroup(ScriptedRegistry.GROUP)
            .setName("ann")
            .build();
    PartitionCallbacks callbacks =
        new PartitionCallbacks(
            registry.runtime().environment().callbacks(),
            owned -> told.add("assigned " + owned.partition() + "/" + owned.token()),
            owned -> {
              told.add("revoked " + owned.partition() + "/" + owned.token());
              onRevoked.accept(owned);
            });
    holder = new PartitionHolder(member, 8, registry.runtime(), callbacks);
    membership = registry.membership("ann", holder);
    membership.begin();
    registry.clock.runDue();
    assertTrue(holder.joined().isDone());
  }

  @AfterEach
  void close() {
    registry.close();
  }

  private void change() {
    holder.onChange(ScriptedPartitions.change());
    registry.clock.runDue();
  }

  private void runCallbacks() {
    busy = false;
    List<Runnable> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(Runnable::run);
    registry.clock.runDue();
  }

  @Test
  void assignment_isOwned_andTold() {
    server.assign(3, 30);
    server.assign(5, 50);
    change();
    assertEquals(List.of("assigned 3/30", "assigned 5/50"), told);
    assertEquals(Map.of(3, new Owned(3, 30), 5, new Owned(5, 50)), holder.owned());
    change();
    assertEquals(2, told.size());
  }

  @Test
  void revokedPartition_isReleased_onlyAfterTheCallbackHasReturned() {
    server.assign(3, 30);
    change();
    busy = true;
    server.revoke(3);
    change();
    assertEquals(Map.of(), holder.owned());
    registry.advance(60_000);
    assertEquals(0, server.releases);
    runCallbacks();
    assertEquals(List.of("assigned 3/30", "revoked 3/30"), told);
    assertEquals(
        List.of(PartitionToken.newBuilder().setPartition(3).setToken(30).build()), server.released);
  }

  @Test
  void callbackThatThrows_hasReturned() {
    onRevoked =
        owned -> {
          throw new LinkageError("a callback's own");
        };
    server.assign(3, 30);
    change();
    server.revoke(3);
    change();
    assertEquals(1, server.released.size());
  }

  @Test
  void slowCallback_ofOnePartition_holdsUpNoOther() {
    server.assign(3, 30);
    server.assign(5, 50);
    change();
    busy = true;
    server.revoke(3);
    change();
    busy = false;
    server.revoke(5);
    change();
    assertEquals(List.of(5), server.released.stream().map(PartitionToken::getPartition).toList());
    runCallbacks();
    assertEquals(2, server.released.size());
  }

  @Test
  void partitionRevokedBeforeItWasSeen_isReleased_withoutAWord() {
    server.assign(3, 30);
    server.revoke(3);
    change();
    assertEquals(List.of(), told);
    assertEquals(1, server.released.size());
  }

  @Test
  void sessionThatMayBeDead_revokesHereFirst_andReleasesNothing() {
    server.assign(3, 30);
    change();
    registry.failure = Status.UNAVAILABLE;
    registry.advance(8999);
    assertEquals(1, holder.owned().size());
    registry.advance(1); // the server declares nobody dead before 10 s
    assertEquals(Map.of(), holder.owned());
    assertEquals(List.of("assigned 3/30", "revoked 3/30"), told);
    assertEquals(0, server.releases);
  }

  @Test
  void sessionThatTheServerKept_hasItsPartitionsBack_onceTheServerSaysSo() {
    server.assign(3, 30);
    change();
    registry.failure = Status.UNAVAILABLE;
    registry.advance(9000);
    int reads = server.reads;
    registry.failure = Status.OK;
    registry.advance(3000);
    assertEquals(reads + 1, server.reads);
    assertEquals(List.of("assigned 3/30", "revoked 3/30", "assigned 3/30"), told);
  }

  @Test
  void partitionsOfAMemberThatDied_areNotTakenUpAgain() {
    server.assign(3, 30);
    change();
    registry.failure = Status.UNAVAILABLE;
    registry.advance(25_000);
    // It is dead and the partition another's; the session lives on, as it has other members.
    registry.members.clear();
    registry.lost.add(
        LostMember.newBuilder().setGroup(ScriptedRegistry.GROUP).setName("ann").build());
    server.takeAll();
    registry.failure = Status.OK;
    registry.advance(6000);
    assertEquals(List.of("assigned 3/30", "revoked 3/30"), told);
    assertEquals(2, server.joins);
    server.assign(3, 31);
    change();
    assertEquals("assigned 3/31", told.get(2));
  }

  @Test
  void answerFromBeforeALoss_saysNothing() {
    server.assign(3, 30);
    registry.holding = true;
    change(); // its answer, with the partition, is on its way
    registry.holding = false;
    registry.expire();
    server.takeAll();
    registry.advance(3000);
    assertEquals(2, server.joins);
    registry.answer();
    assertEquals(List.of(), told);
    assertEquals(Map.of(), holder.owned());
  }

  @Test
  void answerFromBeforeARelease_doesNotBringItBack() {
    server.assign(3, 30);
    change();
    server.revoke(3);
    change();
    assertEquals(1, server.released.size());
    server.assign(3, 30); // as it was, in an answer that is old
    change();
    assertEquals(List.of("assigned 3/30", "revoked 3/30"), told);
    server.assign(3, 31);
    change();
    assertEquals("assigned 3/31", told.get(2));
  }

  @Test
  void partitionThatComesBackUnderAHigherToken_isTheNextAssignment_afterTheCallback() {
    server.assign(3, 30);
    change();
    busy = true;
    server.assign(3, 31);
    change();
    assertEquals(Map.of(), holder.owned());
    assertEquals(1, told.size());
    runCallbacks();
    assertEquals(List.of("assigned 3/30", "revoked 3/30", "assigned 3/31"), told);
    assertEquals(0, server.releases);
  }

  @Test
  void releaseWhoseAnswerIsLost_isSentAgain() {
    server.assign(3, 30);
    change();
    busy = true;
    server.revoke(3);
    change();
    registry.failure = Status.UNAVAILABLE;
    runCallbacks();
    registry.advance(2000);
    assertTrue(server.releases > 1);
    registry.failure = Status.OK;
    registry.advance(6000);
    assertEquals(1, server.released.size());
  }

  @Test
  void manyPartitions_areReleasedInFewCalls() {
    for (int i = 0; i < 100; i++) {
      server.assign(i, 100 + i);
    }
    change();
    busy = true;
    for (int i = 0; i < 100; i++) {
      server.revoke(i);
    }
    change();
    runCallbacks();
    assertEquals(100, server.released.size());
    assertTrue(server.releases <= 4, "calls: " + server.releases);
  }

  @Test
  void memberThatIsNoLongerInTheGroup_revokes_andJoinsAgain() {
    server.assign(3, 30);
    change();
    server.takeAll();
    change();
    assertEquals(List.of("assigned 3/30", "revoked 3/30"), told);
    assertEquals(2, server.joins);
  }

  @Test
  void revokeAll_isDoneWhenEveryCallbackIs_andNothingIsAssignedAfterIt() {
    server.assign(3, 30);
    change();
    busy = true;
    CompletableFuture<Void> done = holder.revokeAll();
    registry.clock.runDue();
    assertEquals(Map.of(), holder.owned());
    assertFalse(done.isDone());
    server.assign(5, 50);
    change();
    runCallbacks();
    assertTrue(done.isDone());
    change();
    assertEquals(List.of("assigned 3/30", "revoked 3/30"), told);
  }

  @Test
  void clockAlone_endsWhatIsOwned_whileNoThreadRuns() {
    server.assign(3, 30);
    change();
    SharedPartitions partitions =
        new SharedPartitions(
            membership,
            holder,
            new PartitionOwners(
                "default", ScriptedRegistry.GROUP, 8, registry.runtime(), changed -> {}),
            registry.runtime());
    assertEquals(30, partitions.requireOwned(3));
    registry.stall(Duration.ofSeconds(9));
    assertFalse(partitions.owns(3));
    assertEquals(List.of(), partitions.owned());
  }
}
