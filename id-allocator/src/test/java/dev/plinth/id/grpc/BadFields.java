package dev.plinth.id.grpc;

import static dev.plinth.testkit.call.FieldTable.NO_DURATION;
import static dev.plinth.testkit.call.FieldTable.names;

import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.id.v1.AdvanceSequenceRequest;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.GetNamespaceRequest;
import dev.plinth.id.v1.Layout;
import dev.plinth.id.v1.LeaseRangeRequest;
import dev.plinth.id.v1.LeaseWorkerRequest;
import dev.plinth.id.v1.ListNamespacesRequest;
import dev.plinth.id.v1.ParseRequest;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.id.v1.ReleaseWorkerRequest;
import dev.plinth.id.v1.RenewWorkerRequest;
import dev.plinth.id.v1.ReturnRangeRequest;
import dev.plinth.testkit.call.FieldPaths;
import dev.plinth.testkit.call.FieldTable;
import java.util.List;

/** Every field of every request, with values that it must not have. */
final class BadFields {
  private final FieldTable table = new FieldTable();

  private BadFields() {}

  static List<Message> good(IdCalls calls) {
    return List.of(
        AllocateRequest.newBuilder().setNamespace(calls.dense).build(),
        calls.range(10).build(),
        ReturnRangeRequest.newBuilder().setNamespace(calls.dense).setLeaseId("1-1").build(),
        LeaseWorkerRequest.newBuilder().setNamespace(calls.flakes).setOwnerId("ann").build(),
        RenewWorkerRequest.newBuilder().setNamespace(calls.flakes).setEpoch(1).build(),
        ReleaseWorkerRequest.newBuilder().setNamespace(calls.flakes).setEpoch(1).build(),
        ParseRequest.newBuilder().setNamespace(calls.dense).setId("7").build(),
        put(calls.dense, IdCalls.dense()),
        GetNamespaceRequest.newBuilder().setNamespace(calls.dense).build(),
        ListNamespacesRequest.getDefaultInstance(),
        AdvanceSequenceRequest.newBuilder().setNamespace(calls.dense).setTo(5).build());
  }

  private static PutNamespaceRequest put(String name, Definition.Builder definition) {
    return PutNamespaceRequest.newBuilder().setNamespace(name).setDefinition(definition).build();
  }

  static FieldTable of(IdCalls calls) {
    BadFields fields = new BadFields();
    for (Message request : good(calls)) {
      fields.table.inCommon(request);
      fields.calls(request);
    }
    fields.dense(put(calls.dense, IdCalls.dense()));
    fields.flakes(put(calls.flakes, IdCalls.flakes()));
    return fields.table;
  }

  private void calls(Message request) {
    if (request instanceof AllocateRequest) {
      rows(request, "count", -1, 10_001);
    } else if (request instanceof LeaseRangeRequest) {
      rows(request, "owner_id", names(128));
      rows(request, "want", -1L);
    } else if (request instanceof ReturnRangeRequest) {
      rows(request, "lease_id", names(64));
      rows(request, "used", -1L);
    } else if (request instanceof LeaseWorkerRequest) {
      rows(request, "owner_id", names(128));
      rows(request, "owner_id", "plinth");
    } else if (request instanceof RenewWorkerRequest || request instanceof ReleaseWorkerRequest) {
      rows(request, "worker_id", -1, 1 << 16);
      rows(request, "epoch", 0L, -1L);
    } else if (request instanceof ParseRequest) {
      rows(request, "id", "", "-1", "x", "1 ", "9223372036854775808", "1".repeat(100), "1\n");
      rows(request, "form", 99);
      rows(FieldPaths.with(request, "form", 1), "id", "U", "Z".repeat(14));
      rows(FieldPaths.with(request, "form", 2), "id", "-", "z".repeat(11));
      rows(FieldPaths.with(request, "form", 3), "id", "0x", "g", "8" + "0".repeat(15));
    } else if (request instanceof ListNamespacesRequest) {
      rows(request, "page_size", -1, 1001);
      rows(request, "page_token", "x", "99.a", "0", "1.A", "1.".repeat(99), "0.\n");
    } else if (request instanceof AdvanceSequenceRequest) {
      rows(request, "to", -1L);
    }
    if (request instanceof ReleaseWorkerRequest) {
      rows(request, "last_used_ms", -1L);
    }
  }

  private void dense(Message put) {
    rows(put, "definition", FieldPaths.ABSENT);
    rows(put, "expected_version", -1L);
    rows(put, "definition.format", 0, 99);
    rows(put, "definition.order", 99);
    rows(put, "definition.start", -1L);
    rows(put, "definition.max", -1L);
    rows(FieldPaths.with(put, "definition.start", 9L), "definition.max", 8L);
    rows(put, "definition.step", -1, 1_000_001);
    rows(put, "definition.remainder", -1, 1);
    Message stepped =
        FieldPaths.with(FieldPaths.with(put, "definition.step", 10), "definition.remainder", 5);
    rows(stepped, "definition.remainder", 10);
    rows(FieldPaths.with(stepped, "definition.start", 6L), "definition.max", 14L);
    rows(
        FieldPaths.with(stepped, "definition.remainder", 6),
        "definition.max",
        5L); // start 1 is fine, 6 is above
    rows(put, "definition.min_range", -1L, 1_000_000_001L);
    rows(put, "definition.max_range", -1L, 1_000_000_001L, 9L);
    rows(
        put,
        "definition.range_ttl",
        Durations.fromMillis(999),
        Durations.fromDays(31),
        NO_DURATION);
    rows(put, "definition.max_outstanding", -1L);
    rows(put, "definition.max_per_second", -1L);
    rows(put, "definition.layout", Layout.getDefaultInstance());
    rows(put, "definition.worker_ttl", Durations.fromSeconds(1));
    rows(put, "definition.max_ahead", Durations.fromSeconds(1));
  }

  private void flakes(Message put) {
    rows(put, "definition.order", 2, 99);
    rows(put, "definition.start", 1L);
    rows(put, "definition.max", 1L);
    rows(put, "definition.step", 1);
    rows(put, "definition.remainder", 1);
    rows(put, "definition.min_range", 1L);
    rows(put, "definition.max_range", 1L);
    rows(put, "definition.range_ttl", Durations.fromSeconds(1));
    rows(put, "definition.max_outstanding", 1L);
    rows(put, "definition.max_per_second", -1L);
    rows(
        put,
        "definition.worker_ttl",
        Durations.fromMillis(99),
        Durations.fromHours(2),
        NO_DURATION);
    rows(
        put, "definition.max_ahead", Durations.fromMillis(-1), Durations.fromHours(1), NO_DURATION);
    rows(put, "definition.layout.epoch_ms", -1L, 4_102_444_800_001L);
    rows(put, "definition.layout.time_bits", 19, 47);
    rows(put, "definition.layout.worker_bits", -1, 17);
    rows(put, "definition.layout.sequence_bits", -1, 23);
    rows(put, "definition.layout.unit_ms", -1, 60_001);
    Message js = FieldPaths.with(put, "definition.format", Format.FORMAT_SNOWFLAKE_53_VALUE);
    rows(js, "definition.layout", layout(41, 10, 12));
    rows(put, "definition.layout", layout(41, 10, 11), layout(32, 8, 13));
  }

  private static Layout layout(int time, int worker, int sequence) {
    return Layout.newBuilder()
        .setTimeBits(time)
        .setWorkerBits(worker)
        .setSequenceBits(sequence)
        .build();
  }

  private void rows(Message request, String path, Object... values) {
    table.rows(request, path, values);
  }
}
