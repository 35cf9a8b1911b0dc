package dev.plinth.lease.grpc;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.lease.core.HistorySnapshot;
import dev.plinth.lease.core.HoldEnd;
import dev.plinth.lease.core.HoldEndCause;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseNamespaceView;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.NamespacePolicy;
import dev.plinth.lease.v1.ForceReleaseRequest;
import dev.plinth.lease.v1.ForceReleaseResponse;
import dev.plinth.lease.v1.GetPolicyRequest;
import dev.plinth.lease.v1.GetPolicyResponse;
import dev.plinth.lease.v1.HistoryEntry;
import dev.plinth.lease.v1.HistoryRequest;
import dev.plinth.lease.v1.HistoryResponse;
import dev.plinth.lease.v1.SetPolicyRequest;
import dev.plinth.lease.v1.SetPolicyResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.StreamObserver;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The calls of those who run the thing: what happened, what may be, and an end to a hold. */
final class OperatorCalls {
  private static final Logger log = System.getLogger("plinth.lease");
  private static final int MAX_REASON = 256;
  private static final Duration MAX_GRACE = Duration.ofHours(1);

  private final ShardCalls<Leases> calls;

  OperatorCalls(ShardCalls<Leases> calls) {
    this.calls = calls;
  }

  void forceRelease(ForceReleaseRequest request, StreamObserver<ForceReleaseResponse> to) {
    LeaseName name = LeaseWire.name(request.getNamespace(), request.getKey());
    String reason = FieldChecks.name("reason", request.getReason(), MAX_REASON);
    String actor = FieldChecks.optionalName("actor", request.getActor(), LeaseWire.MAX_OWNER);
    Optional<Long> token =
        request.hasToken() ? Optional.of(LeaseWire.token(request.getToken())) : Optional.empty();
    Duration grace =
        FieldChecks.duration(
            "grace",
            request.hasGrace() ? request.getGrace() : null,
            Duration.ZERO,
            Duration.ZERO,
            MAX_GRACE);
    String requestId = FieldChecks.requestId(request.getRequestId());
    HoldEnd how = new HoldEnd(HoldEndCause.FORCED, actor.isEmpty() ? "operator" : actor, reason);
    calls.mutate(
        new Mutation<>(name.namespace(), requestId, request, ForceReleaseResponse.parser()),
        (leases, tx, reply) -> {
          if (grace.isZero()) {
            leases.forceRelease(
                name, token, how, (ended, last) -> reply.send(last, forced(ended, how)), tx);
          } else {
            leases.releaseAfterNotice(
                name,
                token,
                grace,
                how,
                (asked, last) -> reply.send(last, releaseNotice(asked)),
                tx);
          }
        },
        to);
  }

  private static ForceReleaseResponse releaseNotice(List<LeaseView> asked) {
    return ForceReleaseResponse.newBuilder()
        .addAllAsked(LeaseWire.leases(asked, LeaseWire.MAX_FORCED))
        .setAskedTotal(asked.size())
        .build();
  }

  private static ForceReleaseResponse forced(List<LeaseView> ended, HoldEnd how) {
    for (LeaseView lease : ended) {
      log.log(
          Level.WARNING,
          "{0} held by {1} was released by {2}: {3}",
          lease.name(),
          lease.ownerId(),
          how.actor(),
          how.reason());
    }
    return ForceReleaseResponse.newBuilder()
        .addAllReleased(LeaseWire.leases(ended, LeaseWire.MAX_FORCED))
        .setReleasedTotal(ended.size())
        .build();
  }

  void setPolicy(SetPolicyRequest request, StreamObserver<SetPolicyResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    if (!request.hasPolicy()) {
      throw Failure.Invalid.field("policy", "none", "a policy, {} for the platform's own bounds");
    }
    NamespacePolicy namespacePolicy = NamespacePolicyWire.policy(request.getPolicy());
    Optional<Long> expected =
        LeaseWire.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, SetPolicyResponse.parser()),
        (leases, tx, reply) ->
            reply.send(
                tx,
                SetPolicyResponse.newBuilder()
                    .setVersion(leases.setPolicy(namespace, namespacePolicy, expected, tx))
                    .build()),
        to);
  }

  void getPolicy(GetPolicyRequest request, StreamObserver<GetPolicyResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    calls.read(
        namespace,
        CommandPriority.NORMAL,
        (leases, tx, reply) -> {
          LeaseNamespaceView space = leases.policy(namespace);
          reply.send(
              tx,
              GetPolicyResponse.newBuilder()
                  .setPolicy(NamespacePolicyWire.policy(space.namespacePolicy()))
                  .setVersion(space.version())
                  .setLeases(space.leases())
                  .setSessions(space.sessions())
                  .setWaiters(space.waiters())
                  .setFences(space.fences())
                  .setElections(space.elections())
                  .build());
        },
        to);
  }

  void history(HistoryRequest request, StreamObserver<HistoryResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    FieldChecks.optionalName("key", request.getKey(), LeaseWire.MAX_KEY);
    LeaseWire.prefix(request.getKeyPrefix());
    FieldChecks.optionalName("owner_id", request.getOwnerId(), LeaseWire.MAX_OWNER);
    Optional<Instant> from = instant("from", request.hasFrom(), request.getFrom());
    Optional<Instant> until = instant("to", request.hasTo(), request.getTo());
    int size = FieldChecks.between("page_size", request.getPageSize(), 0, 1000);
    HistorySnapshot.Position after = HistoryToken.parse(request.getPageToken());
    Predicate<dev.plinth.lease.core.HistoryEvent> wanted =
        entry ->
            entry.name().namespace().equals(namespace)
                && (request.getKey().isEmpty() || entry.name().key().equals(request.getKey()))
                && entry.name().key().startsWith(request.getKeyPrefix())
                && (request.getOwnerId().isEmpty() || entry.ownerId().equals(request.getOwnerId()))
                && from.map(time -> !entry.at().isBefore(time)).orElse(true)
                && until.map(time -> entry.at().isBefore(time)).orElse(true);
    calls.<HistorySnapshot, HistoryResponse>readThen(
        namespace,
        (leases, tx, reply) -> reply.send(tx, leases.history()),
        historySnapshot -> page(historySnapshot, from, after, size == 0 ? 50 : size, wanted),
        to);
  }

  private static Optional<Instant> instant(String field, boolean given, Timestamp value) {
    if (given && !Timestamps.isValid(value)) {
      throw Failure.Invalid.field(field, "not a timestamp", "a time as in RFC 3339");
    }
    return given
        ? Optional.of(Instant.ofEpochSecond(value.getSeconds(), value.getNanos()))
        : Optional.empty();
  }

  private static HistoryResponse page(
      HistorySnapshot historySnapshot,
      Optional<Instant> from,
      HistorySnapshot.Position after,
      int size,
      Predicate<dev.plinth.lease.core.HistoryEvent> wanted) {
    Optional<Instant> complete = historySnapshot.completeFrom();
    boolean tooEarly = from.isPresent() && complete.filter(from.get()::isBefore).isPresent();
    if (tooEarly || !historySnapshot.reaches(after)) {
      throw new Failure.OutOfRange(
          ErrorReason.ERROR_REASON_COMPACTED,
          "the history reaches back to " + complete.orElseThrow() + " only",
          Map.of("completeFrom", complete.orElseThrow().toString()));
    }
    HistorySnapshot.Page page = historySnapshot.after(after, size, wanted);
    HistoryResponse.Builder response =
        HistoryResponse.newBuilder()
            .addAllEntries(page.entries().stream().map(OperatorCalls::entry).toList());
    page.next().ifPresent(next -> response.setNextPageToken(HistoryToken.text(next)));
    complete.ifPresent(time -> response.setCompleteFrom(LeaseWire.timestamp(time)));
    return response.build();
  }

  private static HistoryEntry entry(dev.plinth.lease.core.HistoryEvent entry) {
    HistoryEntry.Type type =
        switch (entry.type()) {
          case GRANTED -> HistoryEntry.Type.TYPE_GRANTED;
          case CONFIRMED -> HistoryEntry.Type.TYPE_CONFIRMED;
          case RELEASE_ASKED -> HistoryEntry.Type.TYPE_RELEASE_ASKED;
          case ENDED -> HistoryEntry.Type.TYPE_ENDED;
        };
    HistoryEntry.Builder wire =
        HistoryEntry.newBuilder()
            .setType(type)
            .setAt(LeaseWire.timestamp(entry.at()))
            .setKey(entry.name().key())
            .setOwnerId(entry.ownerId())
            .setSessionId(entry.sessionId())
            .setToken(entry.token())
            .setMode(LeaseWire.mode(entry.leaseMode()))
            .setActor(entry.actor())
            .setReason(entry.reason())
            .setTerm(entry.term());
    entry.cause().ifPresent(cause -> wire.setCause(LeaseWire.cause(cause)));
    if (type == HistoryEntry.Type.TYPE_GRANTED) {
      wire.setWaited(LeaseWire.duration(entry.waited()));
    } else if (type == HistoryEntry.Type.TYPE_ENDED) {
      wire.setHeld(LeaseWire.duration(entry.held()));
    }
    return wire.build();
  }
}
