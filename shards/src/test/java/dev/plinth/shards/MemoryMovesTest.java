package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.plinth.shards.store.ShardStore;
import dev.plinth.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MemoryMovesTest extends MovesContract {
  private final MemoryCluster cluster = new MemoryCluster(SHARDS);

  @Override
  protected ShardStore open(String node) {
    return cluster.open(node);
  }

  @Test
  void deadNode_isReplaced_andTheOthersKeepTheirs() {
    Member a = new Member("a");
    Member b = new Member("b");
    Member c = new Member("c");
    awaitSpread(3, 3, 2);
    double before = a.given() + c.given();
    ((MemoryCluster.Member) b.store).kill();
    members.remove(b);
    awaitSpread(4, 4);
    assertEquals(before, a.given() + c.given(), "nobody else gave anything up");
    b.shards.close();
  }

  @Test
  void nodeThatTakesNothing_costsFewShards() {
    Member a = new Member("a");
    ShardStore idle = open("idle");
    idle.announce("idle:1");
    Await.until("it gives what may be on the way", () -> a.given() == 2);
    Await.until("the two are free", () -> a.store.layout().owners().size() == SHARDS - 2);
    assertEquals(2, a.given());
    idle.close();
    awaitSpread(SHARDS);
  }

  @Test
  void leave_toANodeThatTakesNothing_endsInItsTime_andTheRestIsServedOn() {
    Member a = new Member("a");
    ShardStore idle = open("idle");
    idle.announce("idle:1");
    Await.until("two are on the way to it", () -> a.shards.served().size() == SHARDS - 2);
    a.shards.leave(Duration.ofMillis(300));
    assertEquals(SHARDS - 2, a.shards.served().size());
    idle.close();
  }

  @Test
  void lookThatEndsWithAnError_isFollowedByOthers() {
    Member a = new Member("a");
    MemoryCluster.Member store = (MemoryCluster.Member) a.store;
    store.failLooks(3);
    Await.until("they failed", () -> store.failingLooks() == 0);
    new Member("b");
    awaitSpread(4, 4);
  }
}
