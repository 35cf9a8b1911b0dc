package dev.plinth.id.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.plinth.error.v1.ErrorReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What must be refused, for every call and field that there is. */
@OnEachStore
class BadFieldsTest {
  @Parameter IdServer server;
  private IdCalls calls;

  @BeforeEach
  void begin() {
    calls = new IdCalls(server).define();
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    List<Object> before = everything();
    List<String> taken = new ArrayList<>();
    for (BadFields.Bad bad : BadFields.all(calls)) {
      try {
        Refusal.of(() -> calls.send(bad.request()))
            .isOfField(bad.path(), ErrorReason.ERROR_REASON_FIELD_INVALID);
      } catch (AssertionError e) {
        taken.add(bad + ": " + e.getMessage());
      }
    }
    assertEquals(List.of(), taken);
    assertEquals(before, everything());
  }

  @Test
  void goodRequests_areTaken_forEveryCall() {
    BadFields.good(calls).forEach(calls::send);
    Set<Descriptor> types =
        BadFields.good(calls).stream()
            .map(Message::getDescriptorForType)
            .collect(Collectors.toSet());
    assertEquals(IdCalls.METHODS.keySet(), types);
  }

  @Test
  void everyFieldOfEveryRequest_isInTheTable() {
    Set<String> known = new TreeSet<>();
    for (BadFields.Bad bad : BadFields.all(calls)) {
      known.add(bad.good().getDescriptorForType().getName() + "." + bad.path());
    }
    Set<String> all = new TreeSet<>();
    for (Descriptor request : IdCalls.METHODS.keySet()) {
      Paths.in(request).forEach(path -> all.add(request.getName() + "." + path));
    }
    assertEquals(all, known);
  }

  @Test
  void requestId_isOfOneRequest_forEveryMutation() {
    for (String namespace : List.of(calls.dense, calls.flakes)) {
      calls.ids().allocate(IdCalls.allocation(namespace, 1).setRequestId("once").build());
    }
    List<Object> before = everything();
    for (Message request : BadFields.good(calls).subList(1, 11)) {
      if (request.getDescriptorForType().findFieldByName("request_id") != null) {
        Refusal.of(() -> calls.send(Paths.with(request, "request_id", "once")))
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
