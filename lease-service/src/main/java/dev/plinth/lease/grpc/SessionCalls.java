package dev.plinth.lease.grpc;

import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.Secrets;
import dev.plinth.lease.core.SessionView;
import dev.plinth.lease.v1.CloseSessionRequest;
import dev.plinth.lease.v1.CloseSessionResponse;
import dev.plinth.lease.v1.HeartbeatRequest;
import dev.plinth.lease.v1.HeartbeatResponse;
import dev.plinth.lease.v1.OpenSessionRequest;
import dev.plinth.lease.v1.OpenSessionResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.grpc.ShardCalls;
import dev.plinth.shards.grpc.ShardCalls.Mutation;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;

/** The calls that open, keep and close sessions. */
final class SessionCalls {
  private static final int MAX_SECRET = 64;
  // Marks a kept answer that has a salt where answers kept before had the secret.
  private static final String SALT = "salt:";

  private final ShardCalls<Leases> calls;

  SessionCalls(ShardCalls<Leases> calls) {
    this.calls = calls;
  }

  void open(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
    if (!request.getResumeSessionId().isEmpty() || !request.getResumeSecret().isEmpty()) {
      resume(request, to);
      return;
    }
    String namespace = FieldChecks.namespace(request.getNamespace());
    String owner = FieldChecks.name("owner_id", request.getOwnerId(), LeaseWire.MAX_OWNER);
    Optional<Duration> ttl = LeaseWire.ttl(request.hasTtl(), request.getTtl());
    Optional<Duration> delay = LeaseWire.lockDelay(request.hasLockDelay(), request.getLockDelay());
    String requestId = FieldChecks.requestId(request.getRequestId());
    String salt = Secrets.make();
    // Sent again, the request brings what is needed to make the same secret: none is stored.
    String secret = requestId.isEmpty() ? salt : Secrets.derive(salt, requestId);
    calls.mutate(
        new Mutation<>(
            namespace,
            requestId,
            request,
            OpenSessionResponse.parser(),
            answer -> answer.toBuilder().setResumeSecret(SALT + salt).build(),
            kept -> withSecret(kept, requestId)),
        (leases, tx, reply) -> {
          SessionView opened = leases.openSession(namespace, owner, ttl, delay, secret, tx);
          reply.send(tx, response(opened).setResumeSecret(secret).build());
        },
        to);
  }

  private static OpenSessionResponse withSecret(OpenSessionResponse kept, String requestId) {
    String salt = kept.getResumeSecret();
    return salt.startsWith(SALT)
        ? kept.toBuilder()
            .setResumeSecret(Secrets.derive(salt.substring(SALT.length()), requestId))
            .build()
        : kept;
  }

  private void resume(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    String id =
        FieldChecks.name("resume_session_id", request.getResumeSessionId(), LeaseWire.MAX_OWNER);
    String secret = FieldChecks.name("resume_secret", request.getResumeSecret(), MAX_SECRET);
    noneToResume("ttl", request.hasTtl(), request.getTtl());
    noneToResume("lock_delay", request.hasLockDelay(), request.getLockDelay());
    // Not remembered: what it tells must be true now, and to resume twice does no harm.
    FieldChecks.requestId(request.getRequestId());
    calls.read(
        namespace,
        CommandPriority.URGENT,
        (leases, tx, reply) -> {
          SessionView resumed =
              leases.resumeSession(namespace, id, request.getOwnerId(), secret, tx);
          reply.send(
              tx,
              response(resumed)
                  .setResumeSecret(secret)
                  .setResumed(true)
                  .addAllHeld(LeaseWire.leases(resumed.held()))
                  .setHeldTotal(resumed.heldCount())
                  .build());
        },
        to);
  }

  private static void noneToResume(
      String field, boolean given, com.google.protobuf.Duration value) {
    if (given) {
      throw Failure.Invalid.field(field, FieldChecks.text(value), "none with a resume_session_id");
    }
  }

  private static OpenSessionResponse.Builder response(SessionView session) {
    return OpenSessionResponse.newBuilder()
        .setSessionId(session.id())
        .setTtl(LeaseWire.duration(session.ttl()))
        .setHeartbeatInterval(LeaseWire.duration(interval(session)));
  }

  static Duration interval(SessionView session) {
    return session.ttl().dividedBy(3);
  }

  void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    String id = LeaseWire.session(request.getSessionId());
    calls.read(
        namespace,
        CommandPriority.URGENT,
        (leases, tx, reply) -> {
          SessionView session = leases.heartbeat(namespace, id, tx);
          reply.sendNow(
              HeartbeatResponse.newBuilder()
                  .setTtl(LeaseWire.duration(session.ttl()))
                  .addAllReleaseAsks(LeaseWire.releaseNotices(session.held()))
                  .build());
        },
        to);
  }

  void close(CloseSessionRequest request, StreamObserver<CloseSessionResponse> to) {
    String namespace = FieldChecks.namespace(request.getNamespace());
    String id = LeaseWire.session(request.getSessionId());
    String requestId = FieldChecks.requestId(request.getRequestId());
    calls.mutate(
        new Mutation<>(namespace, requestId, request, CloseSessionResponse.parser()),
        CommandPriority.URGENT,
        (leases, tx, reply) ->
            leases.closeSession(
                namespace,
                id,
                (released, last) ->
                    reply.send(
                        last, CloseSessionResponse.newBuilder().setReleased(released).build()),
                tx),
        to);
  }
}
