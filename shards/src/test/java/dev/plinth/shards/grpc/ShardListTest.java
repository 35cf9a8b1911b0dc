package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.admin.v1.ListShardsResponse;
import dev.plinth.admin.v1.NodeStatus;
import dev.plinth.admin.v1.ShardStatus;
import dev.plinth.shards.MemoryCluster;
import dev.plinth.testkit.Await;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShardListTest {
  private final MemoryCluster cluster = new MemoryCluster(ForwardingNode.SHARDS);

  @Test
  void list_showsEveryShardAndNode_asTheNodeSawThemLast() {
    try (ForwardingNode a = new ForwardingNode(cluster, "a");
        ForwardingNode b = new ForwardingNode(cluster, "b")) {
      ShardList list = new ShardList(a.shards, a.store);
      Await.until(
          "an even spread",
          () ->
              list.get().getNodesList().stream()
                  .map(NodeStatus::getShards)
                  .toList()
                  .equals(List.of(4, 4)));
      ListShardsResponse shown = list.get();
      assertEquals(ForwardingNode.SHARDS, shown.getShardsCount());
      for (ShardStatus shard : shown.getShardsList()) {
        assertEquals(shard.getServedHere() ? "a" : "b", shard.getNode());
        assertEquals(shard.getServedHere() ? a.address() : b.address(), shard.getAddress());
        assertTrue(shard.getEpoch() > 0);
      }
      assertEquals(
          List.of("a true", "b false"),
          shown.getNodesList().stream().map(n -> n.getName() + " " + n.getSelf()).toList());
    }
  }

  @Test
  void list_whileTheStoreIsAway_isTheLastOne_andSaysSo() {
    try (ForwardingNode a = new ForwardingNode(cluster, "a")) {
      ShardList list = new ShardList(a.shards, a.store);
      Await.until("it is there", () -> list.get().getNodesCount() == 1);
      a.store.kill();
      Await.until(
          "it grows old",
          () -> Durations.toMillis(list.get().getAge()) > 1000); // five looks would have renewed it
      assertEquals("no session", list.get().getTrouble());
      assertEquals("a", list.get().getNodes(0).getName());
    }
  }
}
