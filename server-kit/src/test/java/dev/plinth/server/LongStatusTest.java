package dev.plinth.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.server.failure.Failure;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A failure with much to say, on its way to a client as gRPC makes it. */
class LongStatusTest {
  @Test
  void refusalWithALongText_reachesAClientThatTakesAsManyHeadersAsIsUsual() {
    String text = "caf\u00e9 waits for printer, ".repeat(1000);
    EchoService refusing =
        new EchoService(
            (request, answer) ->
                answer.onError(
                    StatusMappingInterceptor.answering(
                        new Failure.Conflict(
                            ErrorReason.ERROR_REASON_DEADLOCK, text, Map.of("cycle", text)))));
    try (Metrics metrics = new Metrics();
        GrpcHost host =
            GrpcHost.builder(InProcessHost.hostSettings(), metrics).add(refusing).start()) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", host.port()).usePlaintext().build();
      StatusRuntimeException refused =
          assertThrows(StatusRuntimeException.class, () -> EchoService.say(channel, "hello"));
      channel.shutdownNow();
      assertEquals(Status.Code.ABORTED, refused.getStatus().getCode(), refused.toString());
    }
  }
}
