package dev.plinth.shards.grpc;

import com.google.protobuf.util.Durations;
import dev.plinth.admin.v1.ListShardsResponse;
import dev.plinth.admin.v1.NodeStatus;
import dev.plinth.admin.v1.ShardStatus;
import dev.plinth.server.Engine;
import dev.plinth.shards.ShardRouter;
import dev.plinth.shards.Shards;
import dev.plinth.shards.store.ShardStore.Node;
import dev.plinth.shards.store.ShardStore.Owner;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** All shards and nodes as an operator asks for them, from what this node saw last. */
public final class ShardList implements Supplier<ListShardsResponse> {
  private final Shards shards;
  private final Engine store;

  public ShardList(Shards shards, Engine store) {
    this.shards = shards;
    this.store = store;
  }

  @Override
  public ListShardsResponse get() {
    ShardRouter.Seen seen = shards.routes().seen();
    Map<Integer, Owner> owners = new HashMap<>();
    Map<String, Integer> counts = new HashMap<>();
    for (Owner owner : seen.clusterSnapshot().owners()) {
      owners.put(owner.shard(), owner);
      counts.merge(owner.node().id(), 1, Integer::sum);
    }
    ListShardsResponse.Builder list =
        ListShardsResponse.newBuilder()
            .setAge(Durations.fromNanos(now() - seen.nanos()))
            .setTrouble(store.unavailableReason().orElse(""));
    for (int shard = 0; shard < shards.count(); shard++) {
      list.addShards(status(shard, owners.get(shard)));
    }
    seen.clusterSnapshot().nodes().forEach(node -> list.addNodes(status(node, counts)));
    return list.build();
  }

  private long now() {
    return shards.machine().nanos().getAsLong();
  }

  private ShardStatus status(int shard, Owner owner) {
    ShardStatus.Builder status = ShardStatus.newBuilder().setShard(shard);
    if (owner != null) {
      status
          .setNode(owner.node().name())
          .setAddress(owner.node().address())
          .setEpoch(owner.epoch())
          .setRevision(owner.revision());
    }
    shards.revision(shard).ifPresent(last -> status.setServedHere(true).setRevision(last));
    return status.build();
  }

  private static NodeStatus status(Node node, Map<String, Integer> counts) {
    return NodeStatus.newBuilder()
        .setName(node.name())
        .setAddress(node.address())
        .setShards(counts.getOrDefault(node.id(), 0))
        .setSelf(node.self())
        .build();
  }
}
