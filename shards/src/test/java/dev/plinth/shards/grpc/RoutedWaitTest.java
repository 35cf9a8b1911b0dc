package dev.plinth.shards.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.MemoryCluster;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** S32: a call that asks to wait, and goes from owner to owner, waits no longer than it asked. */
class RoutedWaitTest {
  private static final java.time.Duration SECOND = java.time.Duration.ofSeconds(1);

  private final CallKind acquire = kind(LeaseServiceGrpc.getAcquireMethod());

  @Test
  void S32_callThatGoesOn_waitsForWhatIsLeft() {
    MemoryCluster cluster = new MemoryCluster(ForwardingNode.SHARDS);
    try (ForwardingNode node = new ForwardingNode(cluster, "alone")) {
      node.beats.refusing = true;
      ClientCalls.blockingUnaryCall(
          node.channel,
          BeatService.WAIT,
          CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
          waiting(Durations.fromSeconds(25)).toBuilder().setNamespace("ns").build());
      Iterator<Duration> waits = node.beats.waits.iterator();
      assertEquals(Durations.fromSeconds(25), waits.next());
      Duration second = waits.next();
      assertTrue(Durations.compare(second, Durations.fromMillis(24_900)) <= 0, second.toString());
    }
  }

  @Test
  void S32_whatIsLeft_isNeverLessThanAMillisecond() {
    AcquireRequest request = waiting(Durations.fromMillis(1_500));
    assertEquals(Durations.fromMillis(500), acquire.afterWaiting(request, SECOND).getWait());
    assertEquals(
        Durations.fromMillis(1),
        acquire.afterWaiting(request, SECOND.multipliedBy(2)).getWait(),
        "so that it is timed out, not refused");
  }

  @Test
  void requestWithoutAWait_orWithABadOne_staysAsItIs() {
    AcquireRequest none = AcquireRequest.newBuilder().setKey("k").build();
    assertEquals(none, acquire.afterWaiting(none, SECOND));
    AcquireRequest zero = waiting(Duration.getDefaultInstance());
    assertEquals(zero, acquire.afterWaiting(zero, SECOND));
    AcquireRequest bad = waiting(Duration.newBuilder().setSeconds(1).setNanos(-5).build());
    assertEquals(bad, acquire.afterWaiting(bad, SECOND), "the endpoint refuses it");
  }

  private static AcquireRequest waiting(Duration wait) {
    return AcquireRequest.newBuilder().setKey("k").setWait(wait).build();
  }

  private static CallKind kind(MethodDescriptor<?, ?> method) {
    return CallKind.of(method, CallDeclaration.of(method));
  }
}
