package dev.plinth.shards.store.etcd;

import static dev.plinth.shards.store.etcd.Stores.unavailable;
import static java.util.stream.Collectors.toMap;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.machine.Machine;
import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.OwnedShard.CommitResult;
import dev.plinth.shards.store.Row;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.shards.store.ShardStoreContract;
import dev.plinth.shards.store.Write;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.kv.TxnResponse;
import io.grpc.Context;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class EtcdShardStoreTest extends ShardStoreContract {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();
  @RegisterExtension final Stores stores = new Stores(ETCD);

  @Override
  protected ShardStore open() {
    return stores.open("node-1", 2);
  }

  @Override
  protected void crash() {
    ((EtcdShardStore) store).abandon();
  }

  @Test
  void layout_isReadableWithABareClient() {
    OwnedShard shard = claim(3);
    commit(shard, Write.put("lease/ns/printer", bytes("held")));
    assertEquals("4", value(stores.prefix + "shards"));
    assertEquals("node-1", value(stores.prefix + "owners/0003"));
    assertEquals("held", value(stores.prefix + "rows/0003/lease/ns/printer"));
    assertEquals("1", value(stores.prefix + "revisions/0003"));
    assertEquals(shard.epoch(), row(stores.prefix + "owners/0003").getCreateRevision());
    ShardStore.Owner owner = store.layout().owners().get(0);
    assertEquals("node-1", owner.node().name());
    store.announce("127.0.0.1:7450");
    String row = stores.prefix + "nodes/" + owner.node().id();
    assertEquals("127.0.0.1:7450 node-1", value(row));
  }

  @Test
  void open_forAnotherNumberOfShards_isRefused() {
    EtcdCluster cluster = new EtcdCluster(List.of(ETCD.hostPorts()), stores.settings(2));
    StoreUnavailable refused =
        assertThrows(
            StoreUnavailable.class,
            () -> EtcdShardStore.open(cluster, "node-2", SHARDS + 1, new SimpleMeterRegistry()));
    assertTrue(
        refused.getMessage().contains("shards says 4 shards (expected: 5)"), refused.getMessage());
    assertFalse(refused.mayHaveApplied());
  }

  /** Nobody serves the shard meanwhile. */
  @Test
  void claim_ofAFreeShard_isOneRequest() {
    AtomicInteger sent = new AtomicInteger();
    String owner = stores.prefix + "owners/0002";
    EtcdConnections counting = new CountingConnections(owner, sent);
    EtcdCluster cluster = new EtcdCluster(List.of(ETCD.hostPorts()), stores.settings(2));
    EtcdShardStore counted =
        EtcdShardStore.open(
            cluster, "node-2", SHARDS, new SimpleMeterRegistry(), Machine.system(), counting);
    try (counted) {
      assertTrue(counted.claim(2).isPresent());
      assertEquals(1, sent.get());
      assertTrue(store.claim(2).isEmpty());
    }
  }

  /** Counts the transactions that name a key. */
  private record CountingConnections(String key, AtomicInteger sent) implements EtcdConnections {
    @Override
    public Client client(List<String> members, Duration timeout) {
      return EtcdConnections.network().client(members, timeout);
    }

    @Override
    public TxnSender txns(List<String> members, Duration timeout) {
      TxnSender network = EtcdConnections.network().txns(members, timeout);
      return new TxnSender() {
        @Override
        public CompletableFuture<TxnResponse> send(TxnRequest request) {
          boolean named = request.toByteString().toStringUtf8().contains(key);
          sent.addAndGet(named ? 1 : 0);
          return network.send(request);
        }

        @Override
        public void close() {
          network.close();
        }
      };
    }
  }

  @Test
  void commit_sentOnTheThreadOfACallThatEnded_isDone() throws Exception {
    OwnedShard shard = claim(0);
    Context.CancellableContext ended = Context.current().withCancellation();
    ended.cancel(null);
    List<Write> write = List.of(Write.put("k", bytes("x")));
    assertEquals(CommitResult.DONE, await(ended.call(() -> shard.commit(write))));
  }

  @Test
  void commit_ofAsManyWritesAsAllowed_isTaken_andOfMoreIsABug() {
    OwnedShard shard = claim(0);
    List<Write> most =
        IntStream.range(0, store.maxWrites())
            .mapToObj(i -> Write.put("k" + i, bytes("x")))
            .toList();
    assertEquals(CommitResult.DONE, await(shard.commit(most)));
    List<Write> more = new ArrayList<>(most);
    more.add(Write.put("one more", bytes("x")));
    assertThrows(IllegalArgumentException.class, () -> shard.commit(more));
    commit(shard, Write.delete("k0"));
    assertEquals(2, shard.revision());
    assertEquals(store.maxWrites() - 1, shard.load().size());
  }

  @Test
  void load_ofManyRows_readsEveryPage() {
    OwnedShard shard = claim(0);
    for (int i = 0; i < 40; i++) {
      int from = i * 100;
      shard.commit(
          IntStream.range(from, from + 100)
              .mapToObj(k -> Write.put("k%05d".formatted(k), bytes("" + k)))
              .toList());
    }
    commit(shard);
    List<Row> rows = shard.load();
    assertEquals(
        IntStream.range(0, 4000).mapToObj("k%05d"::formatted).toList(),
        rows.stream().map(Row::key).toList());
  }

  @Test
  void load_ofMoreThanAnAnswerHolds_takesSmallerPages() {
    OwnedShard shard = claim(0);
    byte[] large = new byte[1 << 20];
    for (int i = 0; i < 18; i++) {
      large[i] = 1;
      commit(shard, Write.put("k" + i, large.clone()));
    }
    var rows = shard.load().stream().collect(toMap(Row::key, Row::value));
    assertEquals(18, rows.size());
    assertArrayEquals(large, rows.get("k17"));
  }

  @Test
  void commit_tooLargeForEtcd_isSurelyNotApplied_andEndsTheClaim() {
    OwnedShard shard = claim(0);
    CompletableFuture<CommitResult> tooLarge =
        shard.commit(List.of(Write.put("a", new byte[2 << 20])));
    assertFalse(unavailable(tooLarge).mayHaveApplied());
    assertFalse(unavailable(shard.commit(List.of(Write.put("b", bytes("1"))))).mayHaveApplied());
    shard.release();
    OwnedShard next = claim(0);
    assertEquals(0, next.revision());
    assertEquals(List.of(), next.load());
  }

  @Test
  void twoNodesRacing_giveEveryShardOneOwner() {
    EtcdShardStore other = stores.open("node-2", 2);
    for (int round = 0; round < 4; round++) {
      List<OwnedShard> owned = new ArrayList<>();
      for (int i = 0; i < SHARDS; i++) {
        int shard = i;
        List<CompletableFuture<Optional<OwnedShard>>> claims =
            List.of(
                CompletableFuture.supplyAsync(() -> store.claim(shard)),
                CompletableFuture.supplyAsync(() -> other.claim(shard)),
                CompletableFuture.supplyAsync(() -> store.claim(shard)));
        List<OwnedShard> winners =
            claims.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList();
        assertEquals(1, winners.size(), "owners of shard " + shard);
        owned.addAll(winners);
      }
      assertEquals(
          owned.stream().map(OwnedShard::epoch).toList(),
          store.layout().owners().stream().map(ShardStore.Owner::epoch).toList());
      owned.forEach(OwnedShard::release);
    }
  }

  @Test
  void nodes_areListedInTheOrderTheyCame_toEveryOne() {
    store.announce("a:1");
    EtcdShardStore second = stores.open("node-2", 2);
    second.announce("b:1");
    EtcdShardStore third = stores.open("node-2", 2); // a name may be given twice
    third.announce("c:1");
    for (ShardStore any : List.of(store, second, third)) {
      List<ShardStore.Node> nodes = any.layout().nodes();
      assertEquals(
          List.of("a:1", "b:1", "c:1"), nodes.stream().map(ShardStore.Node::address).toList());
      assertEquals(1, nodes.stream().filter(ShardStore.Node::self).count());
    }
    second.close();
    assertEquals(
        List.of("a:1", "c:1"),
        store.layout().nodes().stream().map(ShardStore.Node::address).toList());
  }

  @Test
  void nodeWhoseSessionWasLost_isAnnouncedAgain_asTheLastThatCame() {
    store.announce("a:1");
    EtcdShardStore other = stores.open("node-2", 2);
    other.announce("b:1");
    claim(0);
    stores.revoke(0);
    Await.until(
        "it is back",
        () ->
            store.layout().nodes().stream()
                .map(ShardStore.Node::address)
                .toList()
                .equals(List.of("b:1", "a:1")));
  }

  private String value(String key) {
    return EtcdKeys.text(row(key).getValue());
  }

  private KeyValue row(String key) {
    return stores.find(EtcdKeys.bytes(key)).orElseThrow();
  }
}
