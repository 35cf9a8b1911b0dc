package dev.plinth.registry.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.options.v1.CallKind;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.FieldPaths;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What must be refused, for every call and field that there is. */
@OnEachStore(RegistryWiring.class)
class BadFieldsTest {
  @Parameter ShardServer server;
  private RegistryCalls calls;
  private List<Message> good;

  @BeforeEach
  void begin() {
    calls = new RegistryCalls(server);
    OpenSessionResponse session = calls.open(RegistryCalls.LONG);
    Member member = calls.register(session, "a");
    good = BadFields.good(calls, session, member);
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    BadFields.of(good).isRefused(RegistryCalls.ANY, server.channel(), calls::list);
  }

  @Test
  void goodRequests_areTaken_forEveryCall() {
    for (Message request : good) {
      RegistryCalls.ANY.send(server.channel(), request).next();
    }
    Set<Descriptor> types =
        good.stream().map(Message::getDescriptorForType).collect(Collectors.toSet());
    assertEquals(RegistryCalls.ANY.requests(), types);
  }

  @Test
  void everyFieldOfEveryRequest_isInTheTable() {
    BadFields.of(good).covers(RegistryCalls.ANY, BadFields.CANNOT_BE_BAD);
  }

  @Test
  void requestId_isOfOneRequest_forEveryMutation() {
    calls.registry().openSession(calls.opening(RegistryCalls.SHORT).setRequestId("once").build());
    List<Member> before = calls.list();
    for (Message request : good) {
      if (CallDeclaration.ofRequest(request.getDescriptorForType()).orElseThrow().kind()
          == CallKind.CALL_KIND_MUTATION) {
        RegistryCalls.ANY
            .send(server.channel(), FieldPaths.with(request, "request_id", "once"))
            .refusal()
            .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
      }
    }
    assertEquals(before, calls.list());
  }
}
