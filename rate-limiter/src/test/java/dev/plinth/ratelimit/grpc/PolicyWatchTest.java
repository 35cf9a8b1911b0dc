package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.ratelimit.policy.Policy;
import dev.plinth.ratelimit.policy.PolicyChange;
import dev.plinth.ratelimit.v1.WatchPoliciesResponse;
import dev.plinth.shards.Event;
import dev.plinth.shards.Watcher;
import dev.plinth.shards.fixture.FakeCall;
import dev.plinth.shards.grpc.WatchCall;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The messages of one watch of a policy. */
class PolicyWatchTest {
  private final FakeCall<WatchPoliciesResponse> call = new FakeCall<>();
  private final Watcher watch =
      WatchCall.of(3, new PolicyWatch("a"), WatchPoliciesResponse.getDefaultInstance(), call);

  private static Policy policy(String domain, long version) {
    return new Policy(domain, version, List.of(), Instant.EPOCH);
  }

  private static Event change(String domain, long version) {
    return new Event(domain, new PolicyChange(domain, Optional.of(policy(domain, version))), 1);
  }

  private WatchPoliciesResponse received(int index) {
    return call.received.get(index);
  }

  @Test
  void changesOfOneCommit_areResumedAfterTheLastOnly() {
    watch.events(8, List.of(change("a", 1), change("b", 7), change("a", 2)));
    assertEquals(2, call.received.size(), "the other domain's is not for this watch");
    assertEquals(1, received(0).getChange().getPolicy().getVersion());
    assertEquals("", received(0).getResumeToken(), "else the second would be missed");
    assertEquals(2, received(1).getChange().getPolicy().getVersion());
    assertEquals("w1.3.8", received(1).getResumeToken());
    watch.events(9, List.of(change("b", 8), new Event("a", "of another service", 1)));
    assertEquals(2, call.received.size());
  }

  @Test
  void absence_isSaid_inSnapshotsAndChanges() {
    watch.snapshot(4, Optional.empty());
    watch.events(5, List.of(change("a", 1)));
    watch.events(6, List.of(new Event("a", new PolicyChange("a", Optional.empty()), 1)));
    watch.snapshot(7, Optional.of(policy("a", 3)));
    assertTrue(received(0).hasSnapshot());
    assertFalse(received(0).getSnapshot().hasPolicy());
    assertEquals("w1.3.4", received(0).getResumeToken());
    assertTrue(received(2).hasChange());
    assertFalse(received(2).getChange().hasPolicy());
    assertEquals(3, received(3).getSnapshot().getPolicy().getVersion());
  }

  @Test
  void progress_canBeResumedAfter_andAGapCannot() {
    watch.progress(5);
    watch.gap(9);
    assertTrue(received(0).hasProgress());
    assertEquals("w1.3.5", received(0).getResumeToken());
    assertTrue(received(1).hasGap());
    assertEquals("", received(1).getResumeToken());
  }
}
