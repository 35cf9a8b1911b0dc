package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.store.ShardStore.ClusterSnapshot;
import dev.plinth.shards.store.ShardStore.Node;
import dev.plinth.shards.store.ShardStore.Owner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The plan of every node by itself, on a model of the store; each look may be an old one. */
class PlacementPlannerTest {
  private static final int SEEDS = 300;

  @Test
  void quotas_sumUpToAllShards_andDifferByAtMostOne() {
    for (int shards = 1; shards <= 40; shards++) {
      for (int nodes = 1; nodes <= 45; nodes++) {
        int[] quotas = quotas(shards, nodes);
        assertEquals(shards, Arrays.stream(quotas).sum());
        assertTrue(quotas[0] - quotas[nodes - 1] <= 1);
      }
    }
  }

  @Test
  void quotas_ofThoseThatStay_onlyFallOnAJoin_andOnlyRiseOnALeave() {
    for (int shards = 1; shards <= 40; shards++) {
      for (int nodes = 1; nodes <= 20; nodes++) {
        int[] before = quotas(shards, nodes);
        int[] after = quotas(shards, nodes + 1);
        for (int rank = 0; rank < nodes; rank++) {
          assertTrue(after[rank] <= before[rank], "a join takes only");
          int behind = after[rank + 1]; // where one before it leaves, each moves up
          assertTrue(behind <= before[rank], "a leave gives only");
        }
      }
    }
  }

  @Test
  void joinsAndLeaves_endInAnEvenSpread_withTheFewestMoves() {
    for (int seed = 0; seed < SEEDS; seed++) {
      RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      Model model = new Model(1 + random.nextInt(24));
      model.join();
      model.settle(random, 0);
      for (int step = 0; step < 6; step++) {
        Map<Integer, String> before = Map.copyOf(model.owners);
        int most;
        if (model.nodes.size() < 2 || random.nextBoolean()) {
          String joined = model.join();
          model.settle(random, 0);
          most = model.count(joined);
        } else {
          String left = model.nodes.get(random.nextInt(model.nodes.size()));
          most = model.count(left);
          model.leave(left, random.nextBoolean());
          model.settle(random, 0);
        }
        long moved =
            before.entrySet().stream()
                .filter(e -> !e.getValue().equals(model.owners.get(e.getKey())))
                .count();
        assertEquals(most, moved, "seed " + seed + ": " + before + " -> " + model.owners);
      }
    }
  }

  @Test
  void nodesThatSeeOldLists_neverPassAShardBackAndForth() {
    for (int seed = 0; seed < SEEDS; seed++) {
      RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      Model model = new Model(1 + random.nextInt(24));
      for (int step = 0; step < 8; step++) {
        if (model.nodes.size() < 2 || random.nextInt(3) > 0) {
          model.join();
        } else {
          model.leave(model.nodes.get(random.nextInt(model.nodes.size())), random.nextBoolean());
        }
        model.settle(random, 4);
      }
    }
  }

  @Test
  void shardsOnTheirWay_areFew_evenIfNobodyTakesThem() {
    ClusterSnapshot clusterSnapshot = layout(List.of("a", "b"), owners(16, "a"), "a");
    Set<Integer> held = IntStream.range(0, 16).boxed().collect(Collectors.toSet());
    assertEquals(
        List.of(15, 14),
        PlacementPlanner.plan(
                16, clusterSnapshot, new PlacementPlanner.LocalShards(held, Set.of(), false))
            .gives());
    held.removeAll(List.of(15, 14));
    assertEquals(
        List.of(),
        PlacementPlanner.plan(
                16, clusterSnapshot, new PlacementPlanner.LocalShards(held, Set.of(15, 14), false))
            .gives());
    Map<Integer, String> released = owners(14, "a");
    assertEquals(
        List.of(),
        PlacementPlanner.plan(
                16,
                layout(List.of("a", "b"), released, "a"),
                new PlacementPlanner.LocalShards(held, Set.of(), false))
            .gives());
  }

  @Test
  void lastNode_keepsItsShards_whenItLeaves() {
    Set<Integer> held = Set.of(0, 1);
    ClusterSnapshot alone = layout(List.of("a"), owners(2, "a"), "a");
    PlacementPlanner.Plan plan =
        PlacementPlanner.plan(2, alone, new PlacementPlanner.LocalShards(held, Set.of(), true));
    assertEquals(new PlacementPlanner.Plan(List.of(), List.of(), true), plan);
  }

  private static int[] quotas(int shards, int nodes) {
    return IntStream.range(0, nodes)
        .map(rank -> PlacementPlanner.quota(shards, nodes, rank))
        .toArray();
  }

  private static Map<Integer, String> owners(int shards, String node) {
    Map<Integer, String> owners = new TreeMap<>();
    IntStream.range(0, shards).forEach(shard -> owners.put(shard, node));
    return owners;
  }

  private static ClusterSnapshot layout(
      List<String> nodes, Map<Integer, String> owners, String self) {
    return new ClusterSnapshot(
        nodes.stream().map(node -> node(node, self)).toList(),
        owners.entrySet().stream()
            .map(e -> new Owner(e.getKey(), node(e.getValue(), self), 1, 0))
            .toList());
  }

  private static Node node(String id, String self) {
    return new Node(id, id, id + ":1", id.equals(self));
  }

  /** Nodes that act one at a time, in any order, each on what it saw up to some steps ago. */
  private static final class Model {
    final int shards;
    final List<String> nodes = new ArrayList<>();
    final List<String> leaving = new ArrayList<>();
    final Map<Integer, String> owners = new TreeMap<>();
    private final List<List<String>> lists = new ArrayList<>();
    private int named;

    Model(int shards) {
      this.shards = shards;
    }

    String join() {
      nodes.add("node" + named++);
      return nodes.get(nodes.size() - 1);
    }

    void leave(String node, boolean dies) {
      nodes.remove(node);
      if (dies) {
        owners.values().removeIf(node::equals);
      } else {
        leaving.add(node);
      }
    }

    int count(String node) {
      return (int) owners.values().stream().filter(node::equals).count();
    }

    /** Until nobody has anything to do; in far fewer steps than passing around would take. */
    void settle(RandomGenerator random, int oldest) {
      int moves = 0;
      for (int quiet = 0; quiet < 40; ) {
        lists.add(List.copyOf(nodes));
        List<String> all = new ArrayList<>(nodes);
        all.addAll(leaving);
        int moved = act(all.get(random.nextInt(all.size())), random.nextInt(oldest + 1));
        moves += moved;
        quiet = moved == 0 ? quiet + 1 : 0;
        assertTrue(moves <= 6 * shards, "shards go round: " + owners);
      }
      leaving.clear();
      int[] quotas = quotas(shards, nodes.size());
      for (int rank = 0; rank < nodes.size(); rank++) {
        assertEquals(quotas[rank], count(nodes.get(rank)), nodes + " " + owners);
      }
    }

    private int act(String self, int old) {
      List<String> list = lists.get(Math.max(0, lists.size() - 1 - old));
      Set<Integer> held =
          owners.entrySet().stream()
              .filter(e -> e.getValue().equals(self))
              .map(Map.Entry::getKey)
              .collect(Collectors.toSet());
      boolean leaves = leaving.contains(self);
      PlacementPlanner.Plan plan =
          PlacementPlanner.plan(
              shards,
              layout(list, owners, self),
              new PlacementPlanner.LocalShards(held, Set.of(), leaves));
      plan.claims().forEach(shard -> owners.putIfAbsent(shard, self));
      plan.gives().forEach(owners::remove);
      return plan.claims().size() + plan.gives().size();
    }
  }
}
