package dev.plinth.client.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.StringValue;
import com.google.rpc.ErrorInfo;
import dev.plinth.client.lease.HeldLeases;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.client.lease.LeaseLostException;
import dev.plinth.testkit.EchoService;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A resource behind gRPC; the words it was told are its state. */
class TokenInterceptorTest {
  private final List<String> register = new ArrayList<>();
  private final LeaseHandle old = HeldLeases.held("résumé", 1);
  private final LeaseHandle newer = HeldLeases.held("résumé", 2);
  private Server server;
  private Server unguarded;
  private ManagedChannel channel;
  private ManagedChannel unguardedChannel;

  @BeforeEach
  void start() throws Exception {
    EchoService service = new EchoService(this::write);
    server =
        InProcessServerBuilder.forName("guarded-" + hashCode())
            .addService(
                ServerInterceptors.intercept(
                    service.endpoints().get(0), TokenInterceptor.checking()))
            .build()
            .start();
    unguarded =
        InProcessServerBuilder.forName("unguarded-" + hashCode())
            .addService(service.endpoints().get(0))
            .build()
            .start();
    channel = InProcessChannelBuilder.forName("guarded-" + hashCode()).build();
    unguardedChannel = InProcessChannelBuilder.forName("unguarded-" + hashCode()).build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    unguardedChannel.shutdownNow();
    server.shutdownNow();
    unguarded.shutdownNow();
  }

  private void write(StringValue word, StreamObserver<StringValue> to) {
    register.add(word.getValue());
    to.onNext(word);
    to.onCompleted();
  }

  @Test
  void V4_staleHolder_isRefused_afterANewerOneWrote() throws Exception {
    EchoService.say(with(old, channel), "old");
    EchoService.say(with(newer, channel), "new");
    StatusRuntimeException refusal =
        assertThrows(
            StatusRuntimeException.class, () -> EchoService.say(with(old, channel), "late"));
    assertEquals(Code.FAILED_PRECONDITION, refusal.getStatus().getCode());
    ErrorInfo info = StatusProto.fromThrowable(refusal).getDetails(0).unpack(ErrorInfo.class);
    assertEquals("TOKEN_STALE", info.getReason());
    EchoService.say(with(newer, channel), "new again");
    assertEquals(List.of("old", "new", "new again"), register);
  }

  @Test
  void V4_withoutTheGuard_theSameWritesCorrupt() {
    EchoService.say(with(old, unguardedChannel), "old");
    EchoService.say(with(newer, unguardedChannel), "new");
    EchoService.say(with(old, unguardedChannel), "late");
    assertEquals("late", register.get(2));
  }

  @Test
  void keys_areApart() {
    EchoService.say(with(newer, channel), "new");
    EchoService.say(with(HeldLeases.held("other", 1), channel), "other");
    assertEquals(List.of("new", "other"), register);
  }

  @Test
  void callWithoutAToken_isRefused() {
    StatusRuntimeException refusal =
        assertThrows(StatusRuntimeException.class, () -> EchoService.say(channel, "anonymous"));
    assertEquals(Code.INVALID_ARGUMENT, refusal.getStatus().getCode());
  }

  @Test
  void lostLease_makesNoCall() {
    LeaseHandle lost = HeldLeases.lost("other", 3);
    assertThrows(LeaseLostException.class, () -> EchoService.say(with(lost, channel), "late"));
    assertEquals(List.of(), register);
  }

  private static Channel with(LeaseHandle lease, Channel channel) {
    return ClientInterceptors.intercept(channel, TokenInterceptor.sending(lease));
  }
}
