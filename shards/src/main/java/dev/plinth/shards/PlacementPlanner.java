package dev.plinth.shards;

import dev.plinth.shards.store.ShardStore.ClusterSnapshot;
import dev.plinth.shards.store.ShardStore.Node;
import dev.plinth.shards.store.ShardStore.Owner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * How shards are spread over nodes: evenly, the odd ones to those that have been there longest. So
 * when a node joins every other keeps its shards or gives some up, and when one leaves every other
 * keeps its own: no shard ever moves between two nodes that stay.
 */
final class PlacementPlanner {
  /**
   * What this node has under way by itself, which the layout may not show yet.
   *
   * @param held shards that it serves or is taking
   * @param giving shards that it is giving up
   * @param leaving whether it gives up all, as far as others are there to take them
   */
  record LocalShards(Set<Integer> held, Set<Integer> giving, boolean leaving) {}

  /**
   * @param claims free shards that this node should have
   * @param gives shards of this node that others should have, as many as may move now
   * @param settled whether nothing is left to move anywhere
   */
  record Plan(List<Integer> claims, List<Integer> gives, boolean settled) {}

  // A node that takes nothing, though it lives, must not leave many shards unserved.
  private static final int MAX_MOVING = 2;

  private final int shards;
  private final ClusterSnapshot clusterSnapshot;
  private final LocalShards localShards;
  private final List<Node> nodes;
  private final Map<String, Integer> counts = new HashMap<>();
  private final List<Integer> free;

  private PlacementPlanner(int shards, ClusterSnapshot clusterSnapshot, LocalShards localShards) {
    this.shards = shards;
    this.clusterSnapshot = clusterSnapshot;
    this.localShards = localShards;
    this.nodes = nodes(clusterSnapshot, localShards);
    clusterSnapshot.owners().forEach(owner -> counts.merge(owner.node().id(), 1, Integer::sum));
    this.free = free();
  }

  static Plan plan(int shards, ClusterSnapshot clusterSnapshot, LocalShards localShards) {
    return new PlacementPlanner(shards, clusterSnapshot, localShards).plan();
  }

  /** Sums up to all shards over the ranks, and differs by at most one. */
  static int quota(int shards, int nodes, int rank) {
    return (shards - rank + nodes - 1) / nodes;
  }

  /** A node that has not been announced yet counts itself, as the last that came. */
  private static List<Node> nodes(ClusterSnapshot clusterSnapshot, LocalShards localShards) {
    List<Node> nodes = new ArrayList<>(clusterSnapshot.nodes());
    if (localShards.leaving) {
      nodes.removeIf(Node::self);
    } else if (nodes.stream().noneMatch(Node::self)) {
      nodes.add(new Node("", "", "", true));
    }
    return nodes;
  }

  private List<Integer> free() {
    Set<Integer> owned = new HashSet<>(localShards.held);
    clusterSnapshot.owners().stream().map(Owner::shard).forEach(owned::add);
    return IntStream.range(0, shards).filter(shard -> !owned.contains(shard)).boxed().toList();
  }

  private Plan plan() {
    if (nodes.isEmpty()) {
      return new Plan(List.of(), List.of(), true); // the last node serves to its end
    }
    int rank = rank();
    int surplus = localShards.held.size() - (rank < 0 ? 0 : quota(shards, nodes.size(), rank));
    int wanted = claimedByOthers() - free.size();
    List<Integer> gives = gives(Math.min(surplus, wanted));
    boolean settled = free.isEmpty() && localShards.giving.isEmpty() && surplus == 0 && wanted <= 0;
    return new Plan(claims(-surplus, rank), gives, settled);
  }

  private int rank() {
    for (int rank = 0; rank < nodes.size(); rank++) {
      if (nodes.get(rank).self()) {
        return rank;
      }
    }
    return -1;
  }

  private int claimedByOthers() {
    int wanted = 0;
    for (int rank = 0; rank < nodes.size(); rank++) {
      Node node = nodes.get(rank);
      if (!node.self()) {
        int has = counts.getOrDefault(node.id(), 0);
        wanted += Math.max(0, quota(shards, nodes.size(), rank) - has);
      }
    }
    return wanted;
  }

  /** Each node begins at another, so that two seldom go for the same. */
  private List<Integer> claims(int most, int rank) {
    List<Integer> claimable =
        free.stream().filter(shard -> !localShards.giving.contains(shard)).toList();
    List<Integer> claims = new ArrayList<>();
    for (int i = 0; i < claimable.size() && claims.size() < most; i++) {
      int from = rank * claimable.size() / nodes.size();
      claims.add(claimable.get((from + i) % claimable.size()));
    }
    return claims;
  }

  private List<Integer> gives(int surplus) {
    int room = MAX_MOVING - free.size() - stillOwnedButGiven();
    return localShards.held.stream()
        .sorted((a, b) -> b - a)
        .limit(Math.max(0, Math.min(surplus, room)))
        .toList();
  }

  private int stillOwnedButGiven() {
    return (int) localShards.giving.stream().filter(shard -> !free.contains(shard)).count();
  }
}
