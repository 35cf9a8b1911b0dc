package dev.plinth.shards.store.etcd;

import static dev.plinth.shards.store.etcd.StoresUnderTest.await;
import static dev.plinth.shards.store.etcd.StoresUnderTest.isDone;
import static dev.plinth.shards.store.etcd.StoresUnderTest.put;
import static dev.plinth.shards.store.etcd.StoresUnderTest.rows;
import static dev.plinth.shards.store.etcd.StoresUnderTest.unavailable;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.testkit.Await;
import io.etcd.jetcd.options.PutOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One owner at a time, whatever happens between the nodes and etcd. */
public abstract class FencingContract {
  @RegisterExtension final StoresUnderTest stores;

  protected FencingContract(StoresUnderTest stores) {
    this.stores = stores;
  }

  @Test
  void deposedOwner_changesNothing_evenWithManyUnderWay() {
    EtcdShardStore first = stores.open("first", 10);
    OwnedShard old = first.claim(0).orElseThrow();
    assertEquals(CommitResult.DONE, await(old.commit(List.of(put("a", "1")))));
    stores.revoke(0);
    OwnedShard next = stores.open("second", 10).claim(0).orElseThrow();
    List<CompletableFuture<CommitResult>> late = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      late.add(old.commit(List.of(put("a", "late " + i))));
    }
    late.forEach(commit -> assertEquals(CommitResult.DEPOSED, await(commit)));
    assertEquals(Map.of("a", "1"), rows(next));
    assertEquals(CommitResult.DONE, await(next.commit(List.of(put("a", "2")))));
    assertEquals(CommitResult.DEPOSED, await(old.commit(List.of(put("a", "later")))));
    assertEquals(Map.of("a", "2"), rows(next));
    assertThrows(StoreUnavailable.class, old::load);
    assertEquals(
        "2", EtcdKeys.text(stores.find(stores.etcdKeys.revision(0)).orElseThrow().getValue()));
  }

  @Test
  void lostSession_endsAuthority_untilItsShardsAreReleased_thenAnotherServes() {
    EtcdShardStore store = stores.open("first", 2);
    OwnedShard idle = store.claim(0).orElseThrow();
    OwnedShard other = store.claim(1).orElseThrow();
    stores.revoke(0);
    Await.until("the loss is noticed", idle::isLost);
    assertTrue(store.authorityUntil() - System.nanoTime() <= 0);
    Await.until("there is another session", () -> store.unavailableReason().isEmpty());
    assertEquals(CommitResult.DEPOSED, await(other.commit(List.of())));
    assertTrue(
        store.authorityUntil() - System.nanoTime() <= 0, "the owner of shard 0 may not know yet");
    idle.release();
    other.release();
    Await.until("authority", () -> store.authorityUntil() - System.nanoTime() > 0);
    assertEquals(CommitResult.DONE, await(store.claim(0).orElseThrow().commit(List.of())));
  }

  @Test
  void noOtherNode_canClaim_whileAuthorityLiesAhead() {
    EtcdLink link = stores.link("first");
    EtcdShardStore first = stores.open("first", 2);
    EtcdShardStore second = stores.open("second", 2);
    for (int round = 0; round < 3; round++) {
      Await.until("the first claims", () -> first.claim(0).isPresent());
      link.silence();
      Optional<OwnedShard> taken = Optional.empty();
      // The furthest it ever told: an owner that hangs would not hear that it has been taken back.
      long authority = first.authorityUntil();
      while (taken.isEmpty()) {
        authority = Math.max(authority, first.authorityUntil());
        taken = second.claim(0);
      }
      assertTrue(System.nanoTime() - authority > 0, "claimed while authority lay ahead");
      link.heal();
      taken.get().release();
    }
  }

  @Test
  void commitWhoseAnswerIsLost_isDone_once() {
    EtcdLink link = stores.link("first");
    EtcdShardStore store = stores.open("first", 10);
    OwnedShard shard = store.claim(0).orElseThrow();
    link.loseAnswers();
    List<CompletableFuture<CommitResult>> lost = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      lost.add(shard.commit(List.of(put("k" + i, "v"))));
    }
    Await.until("the first has reached etcd", () -> stores.version("k1") == 1);
    Await.until("it was asked again", () -> stores.retries("doubtful") > 0);
    link.heal();
    lost.forEach(commit -> assertEquals(CommitResult.DONE, await(commit)));
    for (int i = 1; i <= 5; i++) {
      assertEquals(1, stores.version("k" + i), "times that k" + i + " was written");
    }
    assertEquals(5, shard.revision());
    assertEquals(
        "5", EtcdKeys.text(stores.find(stores.etcdKeys.revision(0)).orElseThrow().getValue()));
  }

  @Test
  void commitWhoseRequestIsLost_isDone_once() {
    EtcdLink link = stores.link("first");
    EtcdShardStore store = stores.open("first", 10);
    OwnedShard shard = store.claim(0).orElseThrow();
    link.loseRequests();
    CompletableFuture<CommitResult> lost = shard.commit(List.of(put("k", "v")));
    Await.until("it was asked again", () -> stores.retries("doubtful") > 0);
    assertEquals(0, stores.version("k"));
    link.heal();
    assertEquals(CommitResult.DONE, await(lost));
    assertEquals(1, stores.version("k"));
  }

  @Test
  void commitsWithoutAnswer_failAsUnknown_andTheNextOwnerSeesTheFirstOfThem() {
    EtcdLink link = stores.link("first");
    EtcdShardStore first = stores.open("first", 2);
    OwnedShard old = first.claim(0).orElseThrow();
    link.loseAnswers();
    List<CompletableFuture<CommitResult>> unknown = new ArrayList<>();
    for (int i = 1; i <= 8; i++) {
      unknown.add(old.commit(List.of(put("k" + i, "v"))));
    }
    assertTrue(unavailable(unknown.get(0)).mayHaveApplied());
    assertTrue(first.authorityUntil() - System.nanoTime() <= 0);
    assertFalse(unavailable(unknown.get(7)).mayHaveApplied(), "never sent");

    EtcdShardStore second = stores.open("second", 2);
    OwnedShard next = StoresUnderTest.claim(second, 0);
    Map<String, String> prefix = new TreeMap<>();
    for (int i = 1; i <= next.revision(); i++) {
      prefix.put("k" + i, "v");
    }
    assertTrue(next.revision() >= 1, "the first had reached etcd");
    assertEquals(prefix, rows(next));
    link.heal();
    Await.until("the first is back", () -> first.unavailableReason().isEmpty());
    assertFalse(isDone(old.commit(List.of(put("late", "v")))));
    assertEquals(prefix, rows(next));
  }

  /** As a claim leaves it whose answer never came. */
  @Test
  void keyThatNobodyServes_isDeleted_andNeverTakenOver() {
    EtcdShardStore store = stores.open("first", 20);
    StoresUnderTest.claim(store, 3);
    long lease = stores.find(stores.etcdKeys.owner(3)).orElseThrow().getLease();
    PutOption leased = PutOption.builder().withLeaseId(lease).build();
    for (int shard : List.of(1, 2)) {
      stores
          .client()
          .getKVClient()
          .put(stores.etcdKeys.owner(shard), EtcdKeys.bytes("first"), leased)
          .join();
    }
    long stray = stores.find(stores.etcdKeys.owner(1)).orElseThrow().getCreateRevision();
    OwnedShard mine = StoresUnderTest.claim(store, 1);
    assertTrue(mine.epoch() > stray, "a claim of its own");
    assertEquals(CommitResult.DONE, await(mine.commit(List.of(put("k", "v")))));
    Await.until("the other is free", () -> stores.find(stores.etcdKeys.owner(2)).isEmpty());
    assertTrue(stores.find(stores.etcdKeys.owner(1)).isPresent());
  }
}
