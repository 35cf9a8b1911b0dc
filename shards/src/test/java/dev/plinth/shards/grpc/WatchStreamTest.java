package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.fixture.FakeCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Readers that are slower than what they watch. */
class WatchStreamTest {
  private static final Failure MOVED =
      new Failure.Unavailable(
          ErrorReason.ERROR_REASON_SHARD_MOVED, "moved", Duration.ofMillis(1), Map.of());
  private static final Failure SLOW =
      new Failure.Exhausted(
          ErrorReason.ERROR_REASON_WATCHER_TOO_SLOW, "watch", "slow", Duration.ofMillis(1));

  private final FakeCall<StringValue> call = new FakeCall<>();
  private final WatchStream<StringValue> stream = new WatchStream<>(call);

  @Test
  void slowReader_isBoundedByBytes_notByMessages() {
    call.ready = false;
    for (int i = 0; i < 2_000; i++) {
      assertTrue(stream.send(text("small")), "message " + i);
    }
    StringValue big = text("x".repeat(WatchStream.MAX_UNREAD / 4));
    int taken = 0;
    while (stream.send(big)) {
      taken++;
    }
    assertEquals(3, taken, "four are more than fits");
    stream.end(SLOW);
    assertNotNull(call.error, "it is cut off at once");
    assertEquals(List.of(), call.received);
  }

  @Test
  void unread_leavesInOrder_whenTheReaderIsReady() {
    stream.send(text("a"));
    call.ready = false;
    stream.send(text("b"));
    stream.send(text("c"));
    assertEquals(List.of("a"), received());
    call.becomeReady();
    stream.send(text("d"));
    assertEquals(List.of("a", "b", "c", "d"), received());
  }

  @Test
  void partsOfASnapshot_areMadeAsTheReaderTakesThem_andEventsFollow() {
    AtomicInteger made = new AtomicInteger();
    call.oneAtATime = true;
    stream.sendParts(
        0, IntStream.range(0, 3).mapToObj(i -> text("part" + made.incrementAndGet())).iterator());
    assertTrue(made.get() <= 2, "what is made is at most one ahead");
    assertEquals(List.of("part1"), received());
    assertTrue(stream.send(text("event")));
    for (int i = 0; i < 3; i++) {
      call.becomeReady();
    }
    assertEquals(List.of("part1", "part2", "part3", "event"), received());
  }

  @Test
  void end_comesAfterWhatIsUnread() {
    call.ready = false;
    stream.send(text("last"));
    stream.end(MOVED);
    assertNull(call.error);
    call.becomeReady();
    assertEquals(List.of("last"), received());
    assertNotNull(call.error);
    assertFalse(stream.send(text("late")));
  }

  @Test
  void readerThatLeft_takesNothingMore() {
    call.cancel();
    assertTrue(stream.isGone());
    assertFalse(stream.send(text("a")));
    stream.end(MOVED);
    assertNull(call.error);
  }

  private List<String> received() {
    return call.received.stream().map(StringValue::getValue).toList();
  }

  private static StringValue text(String value) {
    return StringValue.of(value);
  }
}
