package dev.plinth.shards.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every adapter of {@link ShardStore} promises. */
public abstract class ShardStoreContract {
  protected static final int SHARDS = 4;

  protected ShardStore store;

  /** A store on the same data as any before it in this test. */
  protected abstract ShardStore open();

  @BeforeEach
  void openStore() {
    store = open();
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  /** Ends the store without a word to the engine, as a crash of the process would. */
  protected abstract void crash();

  @Test
  void claim_ofAFreeShard_succeeds_once() {
    OwnedShard mine = claim(1);
    assertEquals(1, mine.shard());
    assertEquals(0, mine.revision());
    assertTrue(mine.epoch() > 0);
    assertEquals(Optional.empty(), store.claim(1));
    assertTrue(store.claim(2).isPresent(), "another shard is free");
  }

  @Test
  void claim_afterRelease_hasAHigherEpoch() {
    OwnedShard first = claim(0);
    first.release();
    assertTrue(claim(0).epoch() > first.epoch());
  }

  @Test
  void claim_afterClose_hasAHigherEpoch_andTheRevision() {
    OwnedShard first = claim(0);
    commit(first, Write.put("a", bytes("1")));
    store.close();
    store = open();
    OwnedShard second = claim(0);
    assertTrue(second.epoch() > first.epoch());
    assertEquals(1, second.revision());
  }

  @Test
  void owners_listsWhatIsClaimed() {
    OwnedShard three = claim(3);
    OwnedShard one = claim(1);
    List<ShardStore.Owner> owners = store.layout().owners();
    assertEquals(List.of(1, 3), owners.stream().map(ShardStore.Owner::shard).toList());
    assertEquals(
        List.of(one.epoch(), three.epoch()), owners.stream().map(ShardStore.Owner::epoch).toList());
    three.release();
    assertEquals(
        List.of(1), store.layout().owners().stream().map(ShardStore.Owner::shard).toList());
  }

  @Test
  void owner_isShownWithItsRevision_andAsThisNode() {
    OwnedShard shard = claim(2);
    commit(shard);
    commit(shard);
    ShardStore.Owner owner = store.layout().owners().get(0);
    assertEquals(2, owner.revision());
    assertTrue(owner.node().self());
    assertEquals("", owner.node().address(), "not announced yet");
  }

  @Test
  void announcedNode_isListed_withItsAddress_untilItWithdraws() {
    assertEquals(List.of(), store.layout().nodes());
    store.announce("127.0.0.1:7450");
    ShardStore.Node self = store.layout().nodes().get(0);
    assertEquals("127.0.0.1:7450", self.address());
    assertTrue(self.self());
    OwnedShard shard = claim(0);
    assertEquals(self, store.layout().owners().get(0).node());
    store.withdraw();
    assertEquals(List.of(), store.layout().nodes());
    assertEquals(shard.epoch(), store.layout().owners().get(0).epoch(), "it still owns its shard");
  }

  @Test
  void announcement_endsWithTheNode() {
    store.announce("127.0.0.1:7450");
    crash();
    store = open();
    Await.until("the crashed node is gone", () -> store.layout().nodes().isEmpty());
  }

  @Test
  void commit_putsAndDeletes_allInOneRevision() {
    OwnedShard shard = claim(0);
    commit(shard, Write.put("a", bytes("1")), Write.put("b", bytes("2")));
    commit(shard, Write.put("a", bytes("3")), Write.delete("b"), Write.put("c", new byte[0]));
    assertEquals(2, shard.revision());
    assertEquals(Map.of("a", "3", "c", ""), rows(shard));
  }

  @Test
  void commit_ofNothing_stillCounts() {
    OwnedShard shard = claim(0);
    commit(shard);
    assertEquals(1, shard.revision());
  }

  @Test
  void rows_ofOneShard_areNotAnothers() {
    OwnedShard one = claim(1);
    OwnedShard two = claim(2);
    commit(one, Write.put("k", bytes("one")));
    commit(two, Write.put("k", bytes("two")));
    assertEquals(Map.of("k", "one"), rows(one));
    assertEquals(Map.of("k", "two"), rows(two));
  }

  @Test
  void keysAndValues_mayBeAnyTextAndBytes() {
    OwnedShard shard = claim(0);
    byte[] all = new byte[256];
    IntStream.range(0, 256).forEach(i -> all[i] = (byte) i);
    commit(shard, Write.put("näme/with space/\u0001", all));
    Row row = shard.load().get(0);
    assertEquals("näme/with space/\u0001", row.key());
    assertArrayEquals(all, row.value());
  }

  @Test
  void acknowledgedCommits_surviveACrash_andTheNextOwnerSeesThem() {
    OwnedShard shard = claim(0);
    commit(shard, Write.put("a", bytes("1")));
    commit(shard, Write.put("b", bytes("2")));
    crash();
    store = open();
    OwnedShard next = claim(0);
    assertTrue(next.epoch() > shard.epoch());
    assertEquals(2, next.revision());
    assertEquals(Map.of("a", "1", "b", "2"), rows(next));
  }

  @Test
  void commitsHandedInTogether_applyInOrder() throws Exception {
    OwnedShard shard = claim(0);
    List<CompletableFuture<CommitResult>> under = new ArrayList<>();
    for (int i = 1; i <= 300; i++) {
      under.add(
          shard.commit(List.of(Write.put("k", bytes("" + i)), Write.put("k" + i, bytes("x")))));
    }
    for (CompletableFuture<CommitResult> commit : under) {
      assertEquals(CommitResult.DONE, commit.get(30, TimeUnit.SECONDS));
    }
    assertEquals(300, shard.revision());
    assertEquals("300", rows(shard).get("k"));
    assertEquals(301, rows(shard).size());
  }

  @Test
  void commit_afterRelease_isDeposed_andChangesNothing() {
    OwnedShard first = claim(0);
    commit(first, Write.put("a", bytes("1")));
    first.release();
    assertEquals(CommitResult.DEPOSED, await(first.commit(List.of(Write.put("a", bytes("2"))))));
    OwnedShard second = claim(0);
    assertEquals(Map.of("a", "1"), rows(second));
    assertEquals(CommitResult.DEPOSED, await(first.commit(List.of(Write.put("a", bytes("3"))))));
    assertEquals(Map.of("a", "1"), rows(second));
  }

  @Test
  void release_waitsForCommitsUnderWay() {
    OwnedShard first = claim(0);
    List<CompletableFuture<CommitResult>> under = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      under.add(first.commit(List.of(Write.put("k" + i, bytes("x")))));
    }
    first.release();
    OwnedShard second = claim(0);
    long done = under.stream().filter(commit -> await(commit) == CommitResult.DONE).count();
    assertEquals(done, rows(second).size());
    assertEquals(done, second.revision());
  }

  @Test
  void largeCommit_isWholeOrNotAtAll() {
    OwnedShard shard = claim(0);
    commit(
        shard,
        IntStream.range(0, 100)
            .mapToObj(i -> Write.put("k" + i, new byte[1000]))
            .toArray(Write[]::new));
    assertEquals(100, rows(shard).size());
    assertEquals(1, shard.revision());
  }

  @Test
  void randomCommits_leaveWhatAMapWould() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(20260101);
    OwnedShard shard = claim(0);
    Map<String, String> model = new TreeMap<>();
    for (int i = 0; i < 60; i++) {
      Map<String, Write> writes = new TreeMap<>();
      for (int j = random.nextInt(12); j > 0; j--) {
        String key = "k" + random.nextInt(20);
        String value = "v" + random.nextInt();
        boolean delete = random.nextInt(3) == 0;
        writes.put(key, delete ? Write.delete(key) : Write.put(key, bytes(value)));
      }
      writes.forEach(
          (key, write) -> {
            if (write.isDelete()) {
              model.remove(key);
            } else {
              model.put(key, new String(write.value(), UTF_8));
            }
          });
      commit(shard, writes.values().toArray(Write[]::new));
      if (i % 20 == 19) {
        crash();
        store = open();
        shard = claim(0);
      }
      assertEquals(model, rows(shard), "after commit " + (i + 1));
    }
  }

  @Test
  void authority_liesAhead_whileTheEngineAnswers() {
    claim(0);
    assertTrue(store.authorityUntil() - System.nanoTime() > 0);
  }

  @Test
  void engine_isWithoutTrouble() {
    assertEquals(Optional.empty(), store.unavailableReason());
    assertEquals("coordination", store.name());
  }

  /** Waits where a crashed owner's claim has to run out first. */
  protected OwnedShard claim(int shard) {
    List<OwnedShard> claimed = new ArrayList<>();
    Await.until(
        "shard " + shard + " can be claimed",
        () -> {
          store.claim(shard).ifPresent(claimed::add);
          return !claimed.isEmpty();
        });
    return claimed.get(0);
  }

  protected static void commit(OwnedShard shard, Write... writes) {
    assertEquals(CommitResult.DONE, await(shard.commit(List.of(writes))));
  }

  protected static CommitResult await(CompletableFuture<CommitResult> commit) {
    return commit.orTimeout(30, TimeUnit.SECONDS).join();
  }

  protected static Map<String, String> rows(OwnedShard shard) {
    Map<String, String> rows = new TreeMap<>();
    shard.load().forEach(row -> rows.put(row.key(), new String(row.value(), UTF_8)));
    return rows;
  }

  protected static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
