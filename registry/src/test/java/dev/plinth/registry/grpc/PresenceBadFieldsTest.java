package dev.plinth.registry.grpc;

import static dev.plinth.testkit.call.FieldTable.names;
import static dev.plinth.testkit.call.FieldTable.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.plinth.registry.v1.ListPresenceRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.TrackRequest;
import dev.plinth.registry.v1.UntrackRequest;
import dev.plinth.registry.v1.WatchPresenceRequest;
import dev.plinth.shards.fixture.OnEachStore;
import dev.plinth.shards.fixture.ShardServer;
import dev.plinth.testkit.call.FieldTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What must be refused, for every call and field of rooms that there is. */
@OnEachStore(RegistryWiring.class)
class PresenceBadFieldsTest {
  private static final String OF_THE_MAP = "an entry is refused by the name of the map";
  private static final Map<String, String> CANNOT_BE_BAD =
      Map.of(
          "TrackRequest.meta.key", OF_THE_MAP,
          "TrackRequest.meta.value", OF_THE_MAP,
          "WatchPresenceRequest.count_only", "a flag");

  @Parameter ShardServer server;
  private final FieldTable table = new FieldTable();
  private RoomCalls calls;
  private List<Message> good;

  @BeforeEach
  void begin() {
    calls = new RoomCalls(server);
    OpenSessionResponse session = calls.registry.open(RegistryCalls.LONG);
    calls.track(session, "ann");
    good =
        List.of(
            calls.tracking(session, "bob").build(),
            calls.untracking(session, "none").build(),
            calls.listing().build(),
            calls.counting(),
            calls.watching().build());
    for (Message request : good) {
      table.inCommon(request);
      table.rows(request, "room", names(128));
      fields(request);
    }
  }

  private void fields(Message request) {
    if (request instanceof TrackRequest || request instanceof UntrackRequest) {
      table.rows(request, "session_id", names(64));
      table.rows(request, "session_incarnation", 0L, -1L);
      table.rows(request, "key", names(128));
      table.rows(request, "device", texts(64));
      table.rows(request, "seq", 0L, -1L);
    }
    if (request instanceof TrackRequest) {
      table.rows(request, "presence_epoch", 0L, -1L);
      Map<String, String> many = new HashMap<>();
      for (int i = 0; i < 17; i++) {
        many.put("k" + i, "");
      }
      for (Map<String, String> bad :
          List.of(
              many,
              Map.of("a", "x".repeat(255), "b", "ü".repeat(255), "c", "ü".repeat(200)),
              Map.of("", "x"),
              Map.of("x".repeat(64), "x"),
              Map.of("a\nb", "x"),
              Map.of("a", "x".repeat(256)),
              Map.of("a", "x\ny"))) {
        TrackRequest with = TrackRequest.newBuilder().putAllMeta(bad).build();
        table.rows(
            request, "meta", with.getField(with.getDescriptorForType().findFieldByName("meta")));
      }
    } else if (request instanceof ListPresenceRequest) {
      table.rows(request, "key", texts(128));
      table.rows(request, "page_size", -1, 1001);
      table.rows(request, "page_token", "x", "p2.YQ", "p1.", "p1.YQ", "p1.A", "p1.a+b", "p1.a\n");
      table.rows(request, "page_token", "p1." + "x".repeat(2000));
    } else if (request instanceof WatchPresenceRequest) {
      table.rows(request, "resume_token", "p1.1.1", "p1.1.1.0", "p1.9999999999999999999.1.0");
    }
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    table.isRefused(RoomCalls.ANY, server.channel(), calls::list);
  }

  @Test
  void goodRequests_areTaken_forEveryCall() {
    for (Message request : good) {
      RoomCalls.ANY.send(server.channel(), request).next();
    }
    Set<Descriptor> types =
        good.stream().map(Message::getDescriptorForType).collect(Collectors.toSet());
    assertEquals(RoomCalls.ANY.requests(), types);
  }

  @Test
  void everyFieldOfEveryRequest_isInTheTable() {
    table.covers(RoomCalls.ANY, CANNOT_BE_BAD);
  }
}
