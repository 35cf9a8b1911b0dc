package dev.plinth.id.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.options.v1.CallKind;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.FieldPaths;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What must be refused, for every call and field that there is. */
@OnEachStore(IdWiring.class)
class BadFieldsTest {
  @Parameter ShardServer server;
  private IdCalls calls;

  @BeforeEach
  void begin() {
    calls = new IdCalls(server).define();
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    BadFields.of(calls).isRefused(IdCalls.ANY, server.channel(), this::everything);
  }

  @Test
  void goodRequests_areTaken_forEveryCall() {
    for (Message request : BadFields.good(calls)) {
      IdCalls.ANY.send(server.channel(), request).next();
    }
    Set<Descriptor> types =
        BadFields.good(calls).stream()
            .map(Message::getDescriptorForType)
            .collect(Collectors.toSet());
    assertEquals(IdCalls.ANY.requests(), types);
  }

  @Test
  void everyFieldOfEveryRequest_isInTheTable() {
    BadFields.of(calls).covers(IdCalls.ANY, Map.of());
  }

  @Test
  void requestId_isOfOneRequest_forEveryMutation() {
    for (String namespace : List.of(calls.dense, calls.flakes)) {
      calls.ids().allocate(IdCalls.allocation(namespace, 1).setRequestId("once").build());
    }
    List<Object> before = everything();
    for (Message request : BadFields.good(calls).subList(1, 11)) {
      if (CallDeclaration.ofRequest(request.getDescriptorForType()).orElseThrow().kind()
          == CallKind.CALL_KIND_MUTATION) {
        IdCalls.ANY
            .send(server.channel(), FieldPaths.with(request, "request_id", "once"))
            .refusal()
            .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
      }
    }
    assertEquals(before, everything());
  }

  /** All that a request could have changed; the rate falls with time. */
  private List<Object> everything() {
    return List.of(
        calls.get(calls.dense).toBuilder().clearRate().clearRunway().build(),
        calls.get(calls.flakes).toBuilder().clearRate().build());
  }
}
