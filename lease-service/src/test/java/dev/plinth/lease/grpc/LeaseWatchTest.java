package dev.plinth.lease.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.lease.core.HoldId;
import dev.plinth.lease.core.LeaseChange;
import dev.plinth.lease.core.LeaseMode;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseOwner;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.shards.Event;
import dev.plinth.shards.Watcher;
import dev.plinth.shards.fixture.FakeCall;
import dev.plinth.shards.grpc.WatchCall;
import dev.plinth.shards.grpc.WatchStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Watches of more than fits in one message. */
class LeaseWatchTest {
  // One lease may be begun below the bound and end above it.
  private static final int MAX_BYTES = WatchStream.MAX_BYTES + 8 * 1024;
  private static final int LEASES = 2_000; // of 4 KiB each: 8 MiB

  private final FakeCall<WatchResponse> call = new FakeCall<>();
  private final Watcher watch = watch(call);

  private static Watcher watch(FakeCall<WatchResponse> call) {
    LeaseWatch all = new LeaseWatch("ns", WatchRequest.getDefaultInstance());
    return WatchCall.of(3, all, WatchResponse.getDefaultInstance(), call);
  }

  @Test
  void longSnapshot_comesInParts_ofWhichTheLastSaysWhereToGoOn() {
    List<LeaseView> leases = IntStream.range(0, LEASES).mapToObj(LeaseWatchTest::lease).toList();
    assertTrue(watch.snapshot(7, leases));
    List<WatchResponse> parts = call.received;
    assertTrue(parts.size() > 4, parts.size() + " parts");
    assertEquals(LEASES, parts.stream().mapToInt(p -> p.getSnapshot().getLeasesCount()).sum());
    for (WatchResponse part : parts) {
      boolean last = part == parts.get(parts.size() - 1);
      assertTrue(part.getSerializedSize() < MAX_BYTES);
      assertEquals(!last, part.getSnapshot().getMore());
      assertEquals(last ? "w1.3.7" : "", part.getResumeToken());
    }
  }

  @Test
  void emptySnapshot_isOneMessage() {
    watch.snapshot(7, List.of());
    assertEquals(1, call.received.size());
    assertTrue(call.received.get(0).hasSnapshot());
    assertEquals("w1.3.7", call.received.get(0).getResumeToken());
  }

  @Test
  void largeCommit_comesInParts_andIsMadeOnceForAllWatchers() {
    List<Event> events = IntStream.range(0, LEASES).mapToObj(LeaseWatchTest::event).toList();
    assertTrue(watch.events(8, events));
    List<WatchResponse> parts = call.received;
    assertEquals(LEASES, parts.stream().mapToInt(p -> p.getEvents().getEventsCount()).sum());
    for (WatchResponse part : parts) {
      boolean last = part == parts.get(parts.size() - 1);
      assertTrue(part.getSerializedSize() < MAX_BYTES);
      assertEquals(last ? "w1.3.8" : "", part.getResumeToken());
    }
    FakeCall<WatchResponse> second = new FakeCall<>();
    watch(second).events(8, events);
    assertSame(
        parts.get(0).getEvents().getEvents(5), second.received.get(0).getEvents().getEvents(5));
  }

  private static Event event(int number) {
    LeaseChange granted =
        new LeaseChange(LeaseChange.Type.GRANTED, lease(number), Optional.empty());
    return new Event("ns/key" + number, granted, 1);
  }

  private static LeaseView lease(int number) {
    return new LeaseView(
        new HoldId(
            new LeaseName("ns", "key" + number),
            new LeaseOwner("ann", ""),
            number,
            LeaseMode.EXCLUSIVE,
            0),
        1,
        1,
        Instant.EPOCH,
        new LeaseView.Validity(Duration.ofSeconds(10), Duration.ofSeconds(10), false),
        new LeaseView.Payload(new byte[4 * 1024], 1),
        Optional.empty());
  }
}
