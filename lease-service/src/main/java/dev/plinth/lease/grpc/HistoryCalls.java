package dev.plinth.lease.grpc;

import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.core.HistoryEvent;
import dev.plinth.lease.core.HistorySnapshot;
import dev.plinth.lease.core.HistorySnapshot.Position;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.HistoryResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.grpc.PageTokenFormat;
import dev.plinth.shards.grpc.ShardCall;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The call that reads what happened to keys. */
final class HistoryCalls {
  private static final PageTokenFormat PAGES =
      new PageTokenFormat("h1.", "\\d{1,18}", "\\d{1,9}", 32);
  private static final WireEnum<HistoryEvent.Type, HistoryEntry.Type> TYPES =
      new WireEnum<>(HistoryEvent.Type.class, HistoryEntry.Type.class, "TYPE_");

  private HistoryCalls() {}

  static void page(ShardCall<Leases, HistoryRequest, HistoryResponse> call) {
    HistoryRequest request = call.request();
    FieldChecks.optionalName("key", request.getKey(), LeaseWire.MAX_KEY);
    LeaseWire.prefix(request.getKeyPrefix());
    FieldChecks.optionalName("owner_id", request.getOwnerId(), LeaseWire.MAX_OWNER);
    Optional<Instant> from = FieldChecks.instant("from", request.hasFrom(), request.getFrom());
    Optional<Instant> until = FieldChecks.instant("to", request.hasTo(), request.getTo());
    int size = FieldChecks.pageSize(request.getPageSize());
    Position after =
        PAGES.parse(
            request.getPageToken(),
            Position.START,
            (row, line) -> new Position(row, Integer.parseInt(line)));
    Predicate<HistoryEvent> wanted =
        entry ->
            entry.name().namespace().equals(call.namespace())
                && (request.getKey().isEmpty() || entry.name().key().equals(request.getKey()))
                && entry.name().key().startsWith(request.getKeyPrefix())
                && (request.getOwnerId().isEmpty() || entry.ownerId().equals(request.getOwnerId()))
                && from.map(time -> !entry.at().isBefore(time)).orElse(true)
                && until.map(time -> entry.at().isBefore(time)).orElse(true);
    call.<HistorySnapshot>runThen(
        (leases, tx, reply) -> reply.send(tx, leases.history()),
        history -> {
          checkReaches(history, from, after);
          return response(history, history.after(after, size, wanted));
        });
  }

  private static void checkReaches(
      HistorySnapshot history, Optional<Instant> from, Position after) {
    Optional<Instant> complete = history.completeFrom();
    boolean tooEarly = from.isPresent() && complete.filter(from.get()::isBefore).isPresent();
    if (tooEarly || !history.reaches(after)) {
      throw new Failure.OutOfRange(
          ErrorReason.ERROR_REASON_COMPACTED,
          "the history reaches back to " + complete.orElseThrow() + " only",
          Map.of("completeFrom", complete.orElseThrow().toString()));
    }
  }

  private static HistoryResponse response(HistorySnapshot history, HistorySnapshot.Page page) {
    HistoryResponse.Builder response =
        HistoryResponse.newBuilder()
            .addAllEntries(page.entries().stream().map(HistoryCalls::entry).toList());
    page.next().ifPresent(next -> response.setNextPageToken(PAGES.text(next.row(), next.line())));
    history.completeFrom().map(FieldChecks::wire).ifPresent(response::setCompleteFrom);
    return response.build();
  }

  private static HistoryEntry entry(HistoryEvent event) {
    HistoryEntry.Builder entry =
        HistoryEntry.newBuilder()
            .setType(TYPES.of(event.type()))
            .setAt(FieldChecks.wire(event.at()))
            .setKey(event.name().key())
            .setOwnerId(event.ownerId())
            .setSessionId(event.hold().owner().sessionId())
            .setToken(event.hold().token())
            .setMode(LeaseWire.MODES.of(event.hold().leaseMode()))
            .setActor(event.actor())
            .setReason(event.reason())
            .setTerm(event.hold().term());
    event.cause().map(LeaseWire.CAUSES::of).ifPresent(entry::setCause);
    if (event.type() == HistoryEvent.Type.GRANTED) {
      entry.setWaited(FieldChecks.wire(event.waited()));
    } else if (event.type() == HistoryEvent.Type.ENDED) {
      entry.setHeld(FieldChecks.wire(event.held()));
    }
    return entry.build();
  }
}
