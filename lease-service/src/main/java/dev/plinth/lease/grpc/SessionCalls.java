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
import dev.plinth.shards.Command;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.grpc.ShardCall;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The calls that open, keep and close sessions. */
final class SessionCalls {
  private static final int MAX_SECRET = 64;
  // Marks a kept answer that has a salt where answers kept before had the secret.
  private static final String SALT = "salt:";

  private SessionCalls() {}

  /**
   * @param random for secrets
   */
  static void open(
      ShardCall<Leases, OpenSessionRequest, OpenSessionResponse> call, RandomGenerator random) {
    OpenSessionRequest request = call.request();
    if (!request.getResumeSessionId().isEmpty() || !request.getResumeSecret().isEmpty()) {
      resume(call);
      return;
    }
    String owner = FieldChecks.name("owner_id", request.getOwnerId(), LeaseWire.MAX_OWNER);
    Optional<Duration> ttl = LeaseWire.ttl(request.hasTtl(), request.getTtl());
    Optional<Duration> delay = LeaseWire.lockDelay(request.hasLockDelay(), request.getLockDelay());
    String id = call.requestId();
    String salt = Secrets.make(random);
    // Sent again, the request brings what is needed to make the same secret: none is stored.
    String secret = id.isEmpty() ? salt : Secrets.derive(salt, id);
    call.run(
        (leases, tx, reply) -> {
          SessionView opened =
              leases.sessions().open(call.namespace(), owner, ttl, delay, secret, tx);
          reply.send(tx, response(opened, secret).build());
        },
        answer -> answer.toBuilder().setResumeSecret(SALT + salt).build(),
        kept -> withSecret(kept, id));
  }

  private static OpenSessionResponse withSecret(OpenSessionResponse kept, String requestId) {
    String salt = kept.getResumeSecret();
    return salt.startsWith(SALT)
        ? kept.toBuilder()
            .setResumeSecret(Secrets.derive(salt.substring(SALT.length()), requestId))
            .build()
        : kept;
  }

  private static void resume(ShardCall<Leases, OpenSessionRequest, OpenSessionResponse> call) {
    OpenSessionRequest request = call.request();
    String id =
        FieldChecks.name("resume_session_id", request.getResumeSessionId(), LeaseWire.MAX_OWNER);
    String secret = FieldChecks.name("resume_secret", request.getResumeSecret(), MAX_SECRET);
    noneToResume("ttl", request.hasTtl(), request.getTtl());
    noneToResume("lock_delay", request.hasLockDelay(), request.getLockDelay());
    // Not remembered: what it tells must be true now, and to resume twice does no harm.
    call.runUnrecorded(
        CommandPriority.URGENT,
        (leases, tx, reply) -> {
          SessionView resumed =
              leases.sessions().resume(call.namespace(), id, request.getOwnerId(), secret, tx);
          reply.send(
              tx,
              response(resumed, secret)
                  .setResumed(true)
                  .addAllHeld(LeaseWire.leases(resumed.held()))
                  .setHeldTotal(resumed.heldCount())
                  .build());
        });
  }

  private static void noneToResume(
      String field, boolean given, com.google.protobuf.Duration value) {
    if (given) {
      throw Failure.Invalid.field(field, FieldChecks.text(value), "none with a resume_session_id");
    }
  }

  private static OpenSessionResponse.Builder response(SessionView session, String secret) {
    return OpenSessionResponse.newBuilder()
        .setSessionId(session.id())
        .setTtl(FieldChecks.wire(session.ttl()))
        .setHeartbeatInterval(FieldChecks.wire(session.heartbeatInterval()))
        .setResumeSecret(secret);
  }

  static Command<Leases, HeartbeatResponse> heartbeat(String namespace, HeartbeatRequest request) {
    String id = LeaseWire.session(request.getSessionId());
    return (leases, tx, reply) -> {
      SessionView session = leases.sessions().heartbeat(namespace, id, tx);
      reply.sendNow(
          HeartbeatResponse.newBuilder()
              .setTtl(FieldChecks.wire(session.ttl()))
              .addAllReleaseAsks(LeaseWire.releaseNotices(session.held()))
              .build());
    };
  }

  static Command<Leases, CloseSessionResponse> close(
      String namespace, CloseSessionRequest request) {
    String id = LeaseWire.session(request.getSessionId());
    return (leases, tx, reply) ->
        leases
            .sessions()
            .close(
                namespace,
                id,
                (released, last) ->
                    reply.send(
                        last, CloseSessionResponse.newBuilder().setReleased(released).build()),
                tx);
  }
}
