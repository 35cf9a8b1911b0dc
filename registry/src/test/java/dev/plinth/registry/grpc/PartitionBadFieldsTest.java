package dev.plinth.registry.grpc;

import static dev.plinth.testkit.call.FieldTable.names;
import static dev.plinth.testkit.call.FieldTable.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.options.v1.CallKind;
import dev.plinth.registry.v1.ExplainPartitionRequest;
import dev.plinth.registry.v1.JoinGroupRequest;
import dev.plinth.registry.v1.ListPartitionsRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.PartitionToken;
import dev.plinth.registry.v1.ReleasePartitionsRequest;
import dev.plinth.server.call.CallDeclaration;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.FieldPaths;
import dev.plinth.testkit.call.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What must be refused, for every call about partitions and every field that there is. */
@OnEachStore(RegistryWiring.class)
class PartitionBadFieldsTest {
  @Parameter ShardServer server;
  private PartitionTestCalls calls;
  private List<Message> good;

  @BeforeEach
  void begin() {
    calls = new PartitionTestCalls(server);
    OpenSessionResponse session = calls.joined("a", 4);
    good =
        List.of(
            calls.joining("a", session, 4).build(),
            calls.releasing("a", session).addPartitions(token(0, 1)).build(),
            calls.assigned("a", session).build(),
            calls.listing().build(),
            calls.watching().build(),
            calls.explaining(0).build(),
            calls.leaving("none", session).build());
  }

  private static PartitionToken token(int partition, long token) {
    return PartitionToken.newBuilder().setPartition(partition).setToken(token).build();
  }

  private FieldTable table() {
    FieldTable table = new FieldTable();
    for (Message request : good) {
      table.inCommon(request);
      table.rows(request, "group", "", "No", "-a", "a/b", "x".repeat(64), "a\nb");
      if (has(request, "name")) {
        table.rows(request, "name", names(128));
        table.rows(request, "session_id", names(64));
      }
      if (has(request, "owner")) {
        table.rows(request, "owner", texts(128));
      }
      if (request instanceof JoinGroupRequest) {
        table.rows(request, "session_incarnation", 0L, -1L);
        table.rows(request, "partition_count", 0, -1, 4097);
      }
      if (request instanceof ExplainPartitionRequest) {
        table.rows(request, "partition", -1, 4096);
      }
      if (request instanceof ListPartitionsRequest) {
        table.rows(request, "page_size", -1, 1001);
        table.rows(request, "page_token", "x", "p1.-1", "p1.10000", "p2.1", "p1.", "p1.1\n");
      }
      if (request instanceof ReleasePartitionsRequest) {
        releases(table, request);
      }
    }
    return table;
  }

  private static void releases(FieldTable table, Message request) {
    List<PartitionToken> many = new ArrayList<>();
    for (int i = 0; i < 65; i++) {
      many.add(token(i, 1));
    }
    table.rows(request, "partitions", many, List.of());
    table.rows(request, "partitions[0].partition", -1, 4096);
    table.rows(request, "partitions[0].token", 0L, -1L);
    Message two = FieldPaths.with(request, "partitions", List.of(token(0, 1), token(1, 1)));
    table.rows(two, "partitions[1].partition", 0);
  }

  private static boolean has(Message request, String field) {
    return request.getDescriptorForType().findFieldByName(field) != null;
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    table().isRefused(PartitionTestCalls.ANY, server.channel(), calls::list);
  }

  @Test
  void goodRequests_areTaken_forEveryCall() {
    for (Message request : good) {
      PartitionTestCalls.ANY.send(server.channel(), request).next();
    }
    Set<Descriptor> types =
        good.stream().map(Message::getDescriptorForType).collect(Collectors.toSet());
    assertEquals(PartitionTestCalls.ANY.requests(), types);
  }

  @Test
  void everyFieldOfEveryRequest_isInTheTable() {
    table().covers(PartitionTestCalls.ANY, Map.of());
  }

  @Test
  void requestId_isOfOneRequest_forEveryMutation() {
    calls
        .members
        .registry()
        .openSession(calls.members.opening(RegistryCalls.LONG).setRequestId("once").build());
    List<?> before = calls.list();
    for (Message request : good) {
      if (CallDeclaration.ofRequest(request.getDescriptorForType()).orElseThrow().kind()
          == CallKind.CALL_KIND_MUTATION) {
        PartitionTestCalls.ANY
            .send(server.channel(), FieldPaths.with(request, "request_id", "once"))
            .refusal()
            .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
      }
    }
    assertEquals(before, calls.list());
  }
}
