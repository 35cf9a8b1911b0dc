package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.Code;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckStreamRequest;
import dev.plinth.ratelimit.v1.CheckStreamResponse;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.Verdict;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.call.RecordedStream;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Checks on one stream. */
@OnEachBudgets
class CheckStreamTest {
  @Parameter LimitServer server;
  private LimitCalls calls;
  private final RecordedStream<CheckStreamRequest, CheckStreamResponse> recordedStream =
      new RecordedStream<>();

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
    calls.put(LimitCalls.bucket("all", 50));
  }

  private StreamObserver<CheckStreamRequest> open(
      RecordedStream<CheckStreamRequest, CheckStreamResponse> answers) {
    return RateLimitServiceGrpc.newStub(server.channel()).checkStream(answers);
  }

  private static CheckStreamRequest of(long id, CheckRequest.Builder check) {
    return CheckStreamRequest.newBuilder().setCorrelationId(id).setCheck(check).build();
  }

  @Test
  void everyCheck_isAnsweredByItsId_andTheStreamEndsWhenAllAre() {
    StreamObserver<CheckStreamRequest> checks = open(recordedStream);
    for (int i = 0; i < 80; i++) {
      checks.onNext(of(i, calls.wish()));
    }
    checks.onCompleted();
    Set<Long> ids = new HashSet<>();
    Map<Verdict, Integer> verdicts = new HashMap<>();
    for (int i = 0; i < 80; i++) {
      CheckStreamResponse answer = recordedStream.next();
      ids.add(answer.getCorrelationId());
      verdicts.merge(answer.getDecision().getVerdict(), 1, Integer::sum);
    }
    recordedStream.end();
    assertEquals(80, ids.size());
    assertEquals(Map.of(Verdict.VERDICT_ALLOW, 50, Verdict.VERDICT_DENY, 30), verdicts);
  }

  @Test
  void checkThatCannotBeDecided_isAnErrorOfItsOwn_andTheStreamGoesOn() {
    StreamObserver<CheckStreamRequest> checks = open(recordedStream);
    checks.onNext(of(1, calls.wish().setCost(-1)));
    assertError(1, Code.INVALID_ARGUMENT, "FIELD_INVALID", "check.cost: -1");
    checks.onNext(of(2, calls.wish().setDomain("nobody-made-this")));
    assertError(2, Code.NOT_FOUND, "POLICY_UNKNOWN", "policy nobody-made-this not found");
    checks.onNext(of(3, calls.wish().setDomain("N o")));
    assertError(3, Code.INVALID_ARGUMENT, "FIELD_INVALID", "check.domain: \"N o\"");
    checks.onNext(CheckStreamRequest.newBuilder().setCorrelationId(4).build());
    assertError(4, Code.INVALID_ARGUMENT, "FIELD_INVALID", "check: none");
    checks.onNext(of(5, calls.wish().setHeaders(true)));
    CheckStreamResponse fine = recordedStream.next();
    assertEquals(Verdict.VERDICT_ALLOW, fine.getDecision().getVerdict());
    assertTrue(fine.getDecision().getHeadersMap().containsKey("RateLimit"));
    checks.onCompleted();
    recordedStream.end();
  }

  private void assertError(long id, Code code, String reason, String message) {
    CheckStreamResponse answer = recordedStream.next();
    assertEquals(id, answer.getCorrelationId());
    assertEquals(code.getNumber(), answer.getError().getCode());
    assertEquals(reason, answer.getError().getReason());
    assertTrue(answer.getError().getMessage().startsWith(message), answer.getError().getMessage());
  }

  @Test
  void whoDoesNotReadTheAnswers_isNotReadFromEither() {
    RecordedStream<CheckStreamRequest, CheckStreamResponse> slow = RecordedStream.slowly();
    var checks = (ClientCallStreamObserver<CheckStreamRequest>) open(slow);
    double before = decisions();
    Await.until("the stream is open", checks::isReady);
    int sent = 0;
    while (sent < 100_000 && checks.isReady()) {
      checks.onNext(of(sent++, calls.wish()));
    }
    int most = sent;
    Await.until(
        "it is no longer read from",
        () -> {
          double seen = decisions();
          Thread.sleep(50);
          return decisions() == seen && seen > before;
        });
    assertTrue(!checks.isReady() || most == 100_000, "sent " + most);
    assertTrue(decisions() - before < 50_000, decisions() - before + " were decided");
    slow.readOn();
    for (int i = 0; i < most; i++) {
      slow.next();
    }
    checks.onCompleted();
    slow.end();
  }

  private double decisions() {
    return server.meters().find("plinth.ratelimit.decisions").counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  @Test
  void callerThatGoesAway_isForgotten() {
    StreamObserver<CheckStreamRequest> checks = open(recordedStream);
    checks.onNext(of(1, calls.wish()));
    recordedStream.next();
    checks.onNext(of(2, calls.wish()));
    recordedStream.cancel();
    Await.until("what was on its way is charged", () -> calls.left("all") <= 49);
    assertEquals(Verdict.VERDICT_ALLOW, calls.check().getVerdict());
  }
}
