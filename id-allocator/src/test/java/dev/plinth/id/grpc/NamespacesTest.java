package dev.plinth.id.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.ListNamespacesRequest;
import dev.plinth.id.v1.ListNamespacesResponse;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.id.v1.Order;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.id.v1.PutNamespaceResponse;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.Refusal;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** Namespaces and their definitions. */
@OnEachStore(IdWiring.class)
class NamespacesTest {
  @Parameter ShardServer server;
  private IdCalls calls;

  @BeforeEach
  void begin() {
    calls = new IdCalls(server);
  }

  @Test
  void definition_isFilledIn_andCanBePutBack_overARestartToo() {
    Definition dense =
        calls
            .put(calls.dense, Definition.newBuilder().setFormat(Format.FORMAT_DENSE))
            .getDefinition();
    assertEquals(
        Definition.newBuilder()
            .setFormat(Format.FORMAT_DENSE)
            .setOrder(Order.ORDER_PER_CLIENT)
            .setStart(1)
            .setMax(Long.MAX_VALUE)
            .setStep(1)
            .setMinRange(1000)
            .setMaxRange(1_000_000)
            .setRangeTtl(Durations.fromHours(1))
            .build(),
        dense);
    Definition flakes = calls.put(calls.flakes, IdCalls.flakes()).getDefinition();
    assertEquals(1, flakes.getLayout().getUnitMs());
    server.restart();
    assertEquals(dense, calls.get(calls.dense).getDefinition());
    assertEquals(flakes, calls.get(calls.flakes).getDefinition());
    assertEquals(2, calls.put(calls.dense, dense.toBuilder()).getVersion());
    assertEquals(flakes, calls.put(calls.flakes, flakes.toBuilder()).getDefinition());
  }

  @Test
  void put_comparesTheVersion_andSentAgainCountsOnce() {
    PutNamespaceRequest.Builder put =
        PutNamespaceRequest.newBuilder()
            .setNamespace(calls.dense)
            .setDefinition(IdCalls.dense())
            .setExpectedVersion(0);
    PutNamespaceResponse first = calls.ids().putNamespace(put.clone().setRequestId("p").build());
    assertEquals(1, first.getStatus().getVersion());
    assertEquals(first, calls.ids().putNamespace(put.clone().setRequestId("p").build()));
    Refusal conflict = Refusal.of(() -> calls.ids().putNamespace(put.build()));
    conflict.is(Status.Code.ABORTED, ErrorReason.ERROR_REASON_REVISION_CONFLICT);
    assertEquals("1", conflict.metadata().get("current"));
  }

  @Test
  void fixedPart_isRefusedByName() {
    calls.put(calls.dense, IdCalls.dense());
    calls.allocate(calls.dense, 1);
    Refusal fixed = Refusal.of(() -> calls.put(calls.dense, IdCalls.dense().setStart(9)));
    fixed.is(Status.Code.FAILED_PRECONDITION, ErrorReason.ERROR_REASON_DEFINITION_FIXED);
    assertEquals("definition.start", fixed.metadata().get("field"));
  }

  @Test
  void unknownNamespace_isNotFound() {
    Refusal.of(() -> calls.get("nobody-made-this"))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_NAMESPACE_UNKNOWN);
    Refusal.of(() -> calls.allocate("nobody-made-this", 1))
        .is(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_NAMESPACE_UNKNOWN);
  }

  @Test
  void list_hasEveryNamespaceOnce_whateverThePageSize() {
    Set<String> made = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      String name = calls.dense + "-" + i;
      calls.put(name, IdCalls.dense());
      made.add(name);
    }
    for (int size : new int[] {1, 5, 1000}) {
      List<String> found = new ArrayList<>();
      String token = "";
      do {
        ListNamespacesResponse page =
            calls
                .ids()
                .listNamespaces(
                    ListNamespacesRequest.newBuilder()
                        .setPageSize(size)
                        .setPageToken(token)
                        .build());
        assertTrue(page.getNamespacesCount() <= size);
        page.getNamespacesList().stream().map(NamespaceStatus::getNamespace).forEach(found::add);
        token = page.getNextPageToken();
      } while (!token.isEmpty());
      assertEquals(found.size(), new HashSet<>(found).size());
      assertTrue(found.containsAll(made));
    }
  }
}
