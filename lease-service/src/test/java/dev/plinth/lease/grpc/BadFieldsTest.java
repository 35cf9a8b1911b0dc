package dev.plinth.lease.grpc;

import static dev.plinth.lease.grpc.LeaseCalls.KEY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import com.google.rpc.PreconditionFailure;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.GetFenceRequest;
import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.options.v1.CallKind;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.FieldPaths;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What must be refused, for every call and field that there is. */
@OnEachStore(LeaseWiring.class)
class BadFieldsTest {
  @Parameter ShardServer server;
  private LeaseCalls calls;
  private GoodRequests good;

  @BeforeEach
  void begin() {
    calls = new LeaseCalls(server);
    good = new GoodRequests(calls);
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    BadFields.of(good).isRefused(LeaseCalls.ANY, calls.channel(), this::everything);
  }

  @Test
  void goodRequests_areTaken() {
    for (int i = 0; i < good.all().size(); i++) {
      // Each in a namespace of its own, since some take away what others need.
      LeaseCalls fresh = new LeaseCalls(server);
      Message request = new GoodRequests(fresh).all().get(i);
      var recordedStream = LeaseCalls.ANY.send(fresh.channel(), request);
      recordedStream.next();
      recordedStream.cancel();
    }
  }

  @Test
  void everyFieldOfEveryRequest_isInTheTable() {
    BadFields.of(good).covers(LeaseCalls.ANY, BadFields.CANNOT_BE_BAD);
  }

  @Test
  void everyCall_hasAGoodRequest() {
    Set<Descriptor> types =
        good.all().stream().map(Message::getDescriptorForType).collect(Collectors.toSet());
    assertEquals(LeaseCalls.ANY.requests(), types);
  }

  @Test
  void requestId_isOfOneRequest_forEveryMutation() {
    LeaseCalls.ANY
        .send(calls.channel(), withId(good.of(RaiseFenceRequest.class).get(0).toBuilder()))
        .next();
    List<Object> before = everything();
    for (Message request : good.all()) {
      boolean mutates =
          CallDeclaration.ofRequest(request.getDescriptorForType()).orElseThrow().kind()
              == CallKind.CALL_KIND_MUTATION;
      boolean first = request instanceof RaiseFenceRequest;
      if (mutates && !first && !isResumption(request)) {
        LeaseCalls.ANY
            .send(calls.channel(), withId(request.toBuilder()))
            .refusal()
            .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
      }
    }
    assertEquals(before, everything());
  }

  @Test
  void sessionThatIsNotOpen_isRefused_byEveryCallThatHangsOnOne() {
    List<Object> before = everything();
    for (Message request : good.all()) {
      for (String field : List.of("session_id", "to_session_id", "resume_session_id")) {
        var descriptor = request.getDescriptorForType().findFieldByName(field);
        boolean hangs = descriptor != null && !request.getField(descriptor).equals("");
        if (hangs && !(request instanceof CloseSessionRequest)) {
          Refusal refusal =
              LeaseCalls.ANY
                  .send(calls.channel(), FieldPaths.with(request, field, "s-none"))
                  .refusal();
          refusal.is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_SESSION_EXPIRED);
          assertEquals("s-none", refusal.metadata().get("sessionId"));
          assertEquals(
              "session s-none",
              refusal.detail(PreconditionFailure.class).getViolations(0).getSubject());
        }
      }
    }
    assertEquals(before, everything());
  }

  private static Message withId(Message.Builder request) {
    return FieldPaths.with(request.build(), "request_id", "once");
  }

  /** It is not remembered: what it tells must be true now. */
  private static boolean isResumption(Message request) {
    var field = request.getDescriptorForType().findFieldByName("resume_session_id");
    return field != null && !request.getField(field).equals("");
  }

  /** All that a request could have changed. */
  private List<Object> everything() {
    String namespace = calls.namespace;
    return List.of(
        calls.leases().listLeases(ListLeasesRequest.newBuilder().setNamespace(namespace).build()),
        calls.history(HistoryRequest.newBuilder().setNamespace(namespace)),
        calls.leases().getPolicy(GetPolicyRequest.newBuilder().setNamespace(namespace).build()),
        calls
            .leases()
            .getFence(
                GetFenceRequest.newBuilder().setNamespace(namespace).setResource("disk").build()),
        calls.key(KEY));
  }
}
