package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.store.Row;
import dev.plinth.testkit.ClockedMachine;
import dev.plinth.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Time that a takeover takes, and time that it promises. */
class ShardTakeoverTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final ManualClock clock = new ManualClock();
  private final List<String> told = new ArrayList<>();

  /** Loads for ten seconds, and has something that ends after one. */
  private final class SlowApp implements ShardApp<long[]> {
    @Override
    public String prefix() {
      return "slow/";
    }

    @Override
    public long[] open(List<Row> rows, Tx tx) {
      long[] deadline = {tx.nanos() + SECOND};
      clock.advance(Duration.ofSeconds(10));
      tx.at(deadline[0], late -> told.add("expired"));
      return deadline;
    }
  }

  @Test
  void whatIsLoaded_hasItsFullTime_fromWhenTheShardAnswers() {
    SlowApp app = new SlowApp();
    ShardLoop loop = new ShardLoop("test", ClockedMachine.of(clock));
    Shard shard = HeldShard.taken(clock, new HeldStore(), loop, app);
    clock.advance(Duration.ofSeconds(5));
    loop.add(shard);
    loop.pass();
    assertEquals(SECOND, left(shard, app));
    clock.advance(Duration.ofMillis(900));
    shard.timers().advance();
    assertEquals(List.of(), told);
    assertEquals(SECOND / 10, left(shard, app));
    assertTrue(shard.timers().next() > clock.nanos().getAsLong(), "told on the clock of the loop");
    clock.advance(Duration.ofMillis(100));
    shard.timers().advance();
    assertEquals(List.of("expired"), told);
  }

  private static long left(Shard shard, SlowApp app) {
    PendingReply<Long> left = new PendingReply<>();
    shard.run(app, (deadline, tx, reply) -> reply.sendNow(deadline[0] - tx.nanos()), left);
    return left.future().join();
  }
}
