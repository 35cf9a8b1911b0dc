package dev.plinth.server.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import com.google.rpc.ErrorInfo;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlineCapTest {
  private final Queue<StreamObserver<StringValue>> unanswered = new ConcurrentLinkedQueue<>();
  private final Queue<Context> contexts = new ConcurrentLinkedQueue<>();
  private final EchoService silent =
      new EchoService(
          (request, answer) -> {
            contexts.add(Context.current());
            unanswered.add(answer);
          });

  @Test
  void unaryCallWithoutADeadline_endsAtTheCap() throws Exception {
    try (InProcessHost host = InProcessHost.serving(silent, "--limits.unary-deadline=50ms")) {
      StatusRuntimeException ended =
          assertThrows(
              StatusRuntimeException.class, () -> EchoService.say(host.channel(), "anyone?"));
      assertEquals(Status.Code.DEADLINE_EXCEEDED, ended.getStatus().getCode());
      ErrorInfo info = StatusProto.fromThrowable(ended).getDetails(0).unpack(ErrorInfo.class);
      assertEquals("DEADLINE_CAPPED", info.getReason());
      assertTrue(contexts.remove().isCancelled(), "the handler learns of it");
    }
  }

  @Test
  void answerAfterTheCap_isDropped() {
    try (InProcessHost host = InProcessHost.serving(silent, "--limits.unary-deadline=50ms")) {
      assertThrows(StatusRuntimeException.class, () -> EchoService.say(host.channel(), "x"));
      StreamObserver<StringValue> late = unanswered.remove();
      // The handler's stub refuses or the call drops it; either way no second ending leaves.
      try {
        late.onNext(StringValue.of("late"));
        late.onCompleted();
      } catch (StatusRuntimeException e) {
        assertEquals(Status.Code.CANCELLED, e.getStatus().getCode());
      }
    }
  }

  @Test
  void shorterDeadlineOfTheCaller_stands() {
    try (InProcessHost host = InProcessHost.serving(silent, "--limits.unary-deadline=1h")) {
      CallOptions soon = CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS);
      CompletableFuture<String> call =
          CompletableFuture.supplyAsync(() -> EchoService.say(host.channel(), soon, "x"));
      Await.until("the handler saw the call", () -> !unanswered.isEmpty());
      assertTrue(contexts.remove().getDeadline().timeRemaining(TimeUnit.SECONDS) < 60);
      StreamObserver<StringValue> answer = unanswered.remove();
      answer.onNext(StringValue.of("y"));
      answer.onCompleted();
      assertEquals("y", call.join());
    }
  }

  @Test
  void stream_isNotCapped() {
    try (InProcessHost host = InProcessHost.serving(silent, "--limits.unary-deadline=10ms")) {
      Iterator<StringValue> answers =
          ClientCalls.blockingServerStreamingCall(
              host.channel(), EchoService.LISTEN, CallOptions.DEFAULT, StringValue.of("x"));
      Await.until("the stream is open", () -> !unanswered.isEmpty());
      // A unary call that starts later and is capped shows that the cap's time has passed.
      assertThrows(StatusRuntimeException.class, () -> EchoService.say(host.channel(), "x"));
      StreamObserver<StringValue> stream = unanswered.remove();
      assertFalse(contexts.remove().isCancelled());
      stream.onNext(StringValue.of("still here"));
      stream.onCompleted();
      assertEquals("still here", answers.next().getValue());
    }
  }
}
