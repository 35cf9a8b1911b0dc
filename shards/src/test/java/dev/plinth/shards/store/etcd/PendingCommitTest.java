package dev.plinth.shards.store.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.shards.store.etcd.PendingCommit.State;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingCommitTest {
  private final PendingCommit commit =
      new PendingCommit(1, List.of(), new StoreMetrics(new SimpleMeterRegistry()));

  @Test
  void tries_goFromStateToState_untilGivenUp() {
    assertEquals(State.QUEUED, commit.state());
    commit.sent(true, 1);
    assertEquals(State.IN_FLIGHT, commit.state());
    commit.returned();
    commit.pause();
    assertEquals(State.PAUSED, commit.state());
    commit.resume();
    commit.sent(true, 2);
    commit.returned();
    commit.giveUp(ClaimEnd.DEPOSED);
    assertEquals(State.GIVEN_UP, commit.state());
    assertEquals(2, commit.tries());
  }

  @Test
  void step_thatIsNotLegal_throws() {
    assertThrows(IllegalStateException.class, commit::returned);
    assertThrows(IllegalStateException.class, commit::pause);
    commit.sent(true, 1);
    assertThrows(IllegalStateException.class, () -> commit.sent(true, 2));
    assertThrows(IllegalStateException.class, () -> commit.giveUp(ClaimEnd.DEPOSED));
    commit.returned();
    commit.giveUp(ClaimEnd.DEPOSED);
    assertThrows(IllegalStateException.class, () -> commit.sent(true, 2));
    assertThrows(IllegalStateException.class, () -> commit.giveUp(ClaimEnd.DEPOSED));
  }
}
