package dev.plinth.shards.store.etcd;

import dev.plinth.shards.store.ShardStore.ClusterSnapshot;
import dev.plinth.shards.store.ShardStore.Node;
import dev.plinth.shards.store.ShardStore.Owner;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The rows that say which nodes live. Each goes with the lease of its node's session, and holds the
 * address, a space and the name.
 */
final class Membership {
  private static final GetOption PREFIX = GetOption.builder().isPrefix(true).build();

  private final FailoverEtcdClient failoverEtcdClient;
  private final EtcdKeys etcdKeys;
  private final String name;
  private final SessionKeeper keeper;
  private final AtomicLong highest = new AtomicLong();
  private volatile String address = "";

  Membership(
      FailoverEtcdClient failoverEtcdClient, EtcdKeys etcdKeys, String name, SessionKeeper keeper) {
    this.failoverEtcdClient = failoverEtcdClient;
    this.etcdKeys = etcdKeys;
    this.name = name;
    this.keeper = keeper;
  }

  void announce(String at) {
    address = at;
    try {
      failoverEtcdClient.await(settle(keeper.session()));
    } catch (CompletionException e) {
      // Whoever looks at the layout next does it again.
    }
  }

  void withdraw() {
    announce("");
  }

  /**
   * Both lists in one read, so that an owner's row is not looked for among nodes of another time.
   */
  ClusterSnapshot layout() {
    NodeSession current = keeper.session();
    long before = highest.get();
    TxnResponse answer =
        failoverEtcdClient.read(
            "cannot see who owns what",
            failoverEtcdClient.txn(
                List.of(),
                List.of(
                    Op.get(etcdKeys.nodes(), PREFIX),
                    Op.get(etcdKeys.owners(), PREFIX),
                    Op.get(etcdKeys.revisions(), PREFIX)),
                List.of()));
    checkAge(answer.getHeader().getRevision(), before, current);
    List<GetResponse> found = answer.getGetResponses();
    Map<Long, Node> nodes = new LinkedHashMap<>();
    List<Node> inOrder =
        found.get(0).getKvs().stream()
            .sorted(Comparator.comparingLong(KeyValue::getCreateRevision))
            .map(row -> node(row, current))
            .toList();
    found.get(0).getKvs().forEach(row -> nodes.put(row.getLease(), node(row, current)));
    // A new session has no row yet, and a row that could not be written or deleted is seen here.
    if (nodes.containsKey(current.lease()) == address.isEmpty()) {
      settle(current);
    }
    return new ClusterSnapshot(
        inOrder, owners(found.get(1), revisions(found.get(2)), nodes, current));
  }

  /**
   * Revisions of etcd only rise, unless it was put back to an older state under us. Then nothing
   * that was claimed before is ours: the session is given up, and claims are made anew.
   */
  private void checkAge(long revision, long before, NodeSession current) {
    if (revision >= before) {
      highest.accumulateAndGet(revision, Math::max);
    } else if (highest.compareAndSet(before, revision)) {
      String why = "etcd is at revision " + revision + " but was at " + before;
      keeper.giveUp(current, why + ": it was put back to an older state");
      throw EtcdFailure.notApplied(why, null);
    }
  }

  private Node node(KeyValue row, NodeSession current) {
    String[] parts = EtcdKeys.text(row.getValue()).split(" ", 2);
    boolean self = row.getLease() == current.lease();
    return new Node(EtcdKeys.id(row.getLease()), parts[1], parts[0], self);
  }

  private List<Owner> owners(
      GetResponse rows, Map<Integer, Long> revisions, Map<Long, Node> nodes, NodeSession current) {
    return rows.getKvs().stream()
        .map(
            row -> {
              int shard = etcdKeys.ownedShard(row.getKey());
              Node node = nodes.get(row.getLease());
              return new Owner(
                  shard,
                  node == null ? unannounced(row, current) : node,
                  row.getCreateRevision(),
                  revisions.getOrDefault(shard, 0L));
            })
        .toList();
  }

  private static Node unannounced(KeyValue owner, NodeSession current) {
    boolean self = owner.getLease() == current.lease();
    return new Node(EtcdKeys.id(owner.getLease()), EtcdKeys.text(owner.getValue()), "", self);
  }

  private Map<Integer, Long> revisions(GetResponse rows) {
    Map<Integer, Long> revisions = new LinkedHashMap<>();
    rows.getKvs()
        .forEach(
            row ->
                revisions.put(
                    etcdKeys.committedShard(row.getKey()),
                    Long.parseLong(EtcdKeys.text(row.getValue()))));
    return revisions;
  }

  /** Makes the row what it should be now. */
  private CompletableFuture<?> settle(NodeSession current) {
    String at = address;
    PutOption leased = PutOption.builder().withLeaseId(current.lease()).build();
    Op change =
        at.isEmpty()
            ? Op.delete(etcdKeys.node(current.lease()), DeleteOption.DEFAULT)
            : Op.put(etcdKeys.node(current.lease()), EtcdKeys.bytes(at + " " + name), leased);
    return failoverEtcdClient.txn(List.of(), List.of(change), List.of());
  }
}
