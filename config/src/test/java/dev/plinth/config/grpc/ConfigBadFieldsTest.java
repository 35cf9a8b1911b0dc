package dev.plinth.config.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.plinth.config.v1.ListConfigsRequest;
import dev.plinth.config.v1.ListConfigsResponse;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.options.v1.CallKind;
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
@OnEachStore(ConfigWiring.class)
class ConfigBadFieldsTest {
  @Parameter ShardServer server;
  private ConfigCalls calls;
  private List<Message> good;

  @BeforeEach
  void begin() {
    calls = new ConfigCalls(server);
    calls.put(0, "{}");
    calls.put(1, "{}");
    calls.start(1, ConfigCalls.percent(50, 600), ConfigCalls.percent(100, 600));
    calls.sync("a").bookmark();
    good = ConfigBadFields.good(calls);
  }

  private ListConfigsResponse all() {
    return calls
        .configs()
        .listConfigs(ListConfigsRequest.newBuilder().setNamespace(calls.namespace).build());
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    ConfigBadFields.of(good).isRefused(ConfigCalls.ANY, server.channel(), this::all);
  }

  @Test
  void goodRequests_areTaken_forEveryCall() {
    for (Message request : good) {
      if (request.getDescriptorForType().getName().equals("RollbackRequest")) {
        continue; // the rollout that was started just before is under way
      }
      ConfigCalls.ANY.send(server.channel(), request).next();
    }
    Set<Descriptor> types =
        good.stream().map(Message::getDescriptorForType).collect(Collectors.toSet());
    assertEquals(ConfigCalls.ANY.requests(), types);
  }

  @Test
  void everyFieldOfEveryRequest_isInTheTable() {
    ConfigBadFields.of(good).covers(ConfigCalls.ANY, ConfigBadFields.cannotBeBad());
  }

  @Test
  void requestId_isOfOneRequest_forEveryMutation() {
    calls
        .configs()
        .putConfig(calls.putting(0, "{}").setConfig("other").setRequestId("once").build());
    ListConfigsResponse before = all();
    for (Message request : good) {
      if (CallDeclaration.ofRequest(request.getDescriptorForType()).orElseThrow().kind()
          == CallKind.CALL_KIND_MUTATION) {
        ConfigCalls.ANY
            .send(server.channel(), FieldPaths.with(request, "request_id", "once"))
            .refusal()
            .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
      }
    }
    assertEquals(before, all());
  }
}
