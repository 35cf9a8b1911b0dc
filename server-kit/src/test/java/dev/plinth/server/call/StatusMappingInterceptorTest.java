package dev.plinth.server.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import com.google.rpc.ErrorInfo;
import dev.plinth.server.failure.Failure;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class StatusMappingInterceptorTest {
  private static final Failure FAILURE = Failure.Invalid.field("ttl", "0s", "1s..1h");

  @Test
  void failureThrown_isMapped() throws Exception {
    assertRefused(
        answerTo(
            (request, answer) -> {
              throw FAILURE;
            }));
  }

  @Test
  void failureReported_isMapped() throws Exception {
    assertRefused(answerTo((request, answer) -> answer.onError(FAILURE)));
  }

  @Test
  void failureInsideAFuturesException_isMapped() throws Exception {
    assertRefused(answerTo((request, answer) -> answer.onError(new CompletionException(FAILURE))));
  }

  @Test
  void unexpectedException_isInternal_withItsStackInTheLogOnly() throws Exception {
    try (LogCapture log = LogCapture.of("plinth.call")) {
      StatusRuntimeException answer =
          answerTo(
              (request, observer) -> {
                throw new IllegalStateException("secret detail");
              });
      ErrorInfo info = info(answer);
      String incident = info.getMetadataOrThrow("incident");
      assertEquals(Status.Code.INTERNAL, answer.getStatus().getCode());
      assertEquals("BUG", info.getReason());
      assertFalse(answer.toString().contains("secret detail"));
      assertTrue(log.text().contains(incident));
      assertTrue(log.text().contains("java.lang.IllegalStateException: secret detail\n\tat "));
    }
  }

  @Test
  void exceptionAfterTheAnswer_doesNotSpoilIt() {
    EchoService service =
        new EchoService(
            (request, answer) -> {
              answer.onNext(request);
              answer.onCompleted();
              throw new IllegalStateException("too late to matter");
            });
    try (LogCapture log = LogCapture.of("plinth.call");
        InProcessHost host = InProcessHost.serving(service)) {
      assertEquals("hello", EchoService.say(host.channel(), "hello"));
      Await.until("the log tells", () -> log.text().contains("too late to matter"));
    }
  }

  @Test
  void statusMadeByGrpc_getsAnErrorInfo() throws Exception {
    StatusRuntimeException answer =
        answerTo((request, observer) -> observer.onError(Status.UNIMPLEMENTED.asException()));
    assertEquals(Status.Code.UNIMPLEMENTED, answer.getStatus().getCode());
    assertEquals("UNIMPLEMENTED", info(answer).getReason());
  }

  private static void assertRefused(StatusRuntimeException answer) throws Exception {
    assertEquals(Status.Code.INVALID_ARGUMENT, answer.getStatus().getCode());
    assertEquals("ttl: 0s (expected: 1s..1h)", answer.getStatus().getDescription());
    assertEquals("FIELD_INVALID", info(answer).getReason());
  }

  private static ErrorInfo info(StatusRuntimeException answer) throws Exception {
    com.google.rpc.Status status = StatusProto.fromThrowable(answer);
    assertEquals(1, status.getDetailsList().stream().filter(d -> d.is(ErrorInfo.class)).count());
    return status.getDetails(0).unpack(ErrorInfo.class);
  }

  private static StatusRuntimeException answerTo(
      BiConsumer<StringValue, StreamObserver<StringValue>> handler) {
    try (InProcessHost host = InProcessHost.serving(new EchoService(handler))) {
      return assertThrows(StatusRuntimeException.class, () -> EchoService.say(host.channel(), "x"));
    }
  }
}
